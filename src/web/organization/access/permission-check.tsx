import { Alert, Group, List, Select, Text } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { PermissionName } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { accessTexts } from "../../texts/access.ts";
import { uiTexts } from "../../texts/ui.ts";
import { useLabels } from "../../ui/labels.ts";
import { Section } from "../../ui/page.tsx";
import { byEntity } from "../shared/permissions.ts";
import { UnitSelect } from "../shared/unit-select.tsx";
import { pathOf, pathTo, type UnitLike } from "../shared/units.ts";
import { type Grants, isOrganizationScoped, type Source, sourcesForUnit, sourcesOf } from "./sources.ts";

const route = getRouteApi("/authenticated/members/$userId/access");

type Props = {
  readonly name: string;
  readonly grants: Grants;
  readonly units: readonly UnitLike[];
  readonly known: ReadonlyMap<string, UnitLike>;
};
type Asked = { permission?: string; unit?: string };

export function PermissionCheck({ name, grants, units, known }: Props) {
  const texts = useTexts(accessTexts);
  const { nothingFound } = useTexts(uiTexts);
  const words = useLabels();
  const navigate = useNavigate();
  const asked: Asked = route.useSearch();
  const ask = (change: Asked) =>
    void navigate({ to: ".", search: { ...asked, ...change } as never, replace: true, resetScroll: false });
  const permission = grants.permissions.find((one) => one.name === asked.permission)?.name;
  const unitId = asked.unit !== undefined && known.has(asked.unit) ? asked.unit : null;
  const data = byEntity(grants.permissions).map(([entity, permissions]) => ({
    group: words.entity(entity),
    items: permissions.map((one) => ({ value: one.name as string, label: words.permission(one.name) })),
  }));
  return (
    <Section title={texts.ask}>
      <Group align="flex-end" mb="md">
        <Select
          className="assignment-field"
          label={texts.permission}
          searchable
          nothingFoundMessage={nothingFound}
          data={data}
          value={permission ?? null}
          onChange={(value) => ask({ permission: value ?? undefined })}
        />
        <UnitSelect
          className="assignment-field"
          label={texts.where}
          units={units}
          whole
          value={unitId}
          onChange={(unit) => ask({ unit: unit ?? undefined })}
        />
      </Group>
      <div role="status">
        {permission !== undefined && (
          <CheckResult name={name} grants={grants} known={known} permission={permission} unitId={unitId} />
        )}
      </div>
    </Section>
  );
}

type CheckResultProps = Omit<Props, "units"> & { permission: PermissionName; unitId: string | null };

function CheckResult({ name, grants, known, permission, unitId }: CheckResultProps) {
  const texts = useTexts(accessTexts);
  const words = useLabels();
  const { list, number } = useFormat();
  const sources = sourcesOf(grants, permission);
  const here = sourcesForUnit(sources, known, unitId);
  const elsewhere = sources.filter((source) => !here.includes(source));
  const reason = ({ role, unit }: Source) => {
    const by = words.role(role.name);
    if (unit === null) return texts.byWhole(by);
    return unit.id === unitId ? texts.byHere(by, unit.name) : texts.byAbove(by, unit.name);
  };
  const place = ({ unit }: Source) => {
    if (unit === null) return texts.everywhere;
    const below = [...known.keys()].filter((id) => id !== unit.id && isBelow(known, id, unit.id)).length;
    const path = pathOf(known, unit.id) || unit.name;
    return below === 0 ? path : texts.below(path, number(below));
  };
  const may = here.length > 0;
  return (
    <Alert
      variant="outline"
      color={may ? "green" : "red"}
      title={may ? texts.yes(name) : texts.no(name)}
      className="alert-text"
    >
      <List size="sm" spacing={4}>
        {here.map((source) => (
          <List.Item key={`${source.role.id} ${source.unit?.id}`}>{reason(source)}</List.Item>
        ))}
      </List>
      {!may && (
        <Text size="sm">
          {elsewhere.length > 0 ? texts.elsewhere(list(elsewhere.map(place))) : texts.nowhere}
        </Text>
      )}
      {!may && isOrganizationScoped(grants, permission) && <Text size="sm">{texts.onlyWhole}</Text>}
    </Alert>
  );
}

const isBelow = (known: ReadonlyMap<string, UnitLike>, id: string, above: string): boolean =>
  pathTo(known, id).some((unit) => unit.id === above);
