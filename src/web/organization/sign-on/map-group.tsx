import { Alert, Autocomplete, type ButtonProps, List, Select, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useCan, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { groupTexts } from "../../texts/sign-on-groups.ts";
import { uiTexts } from "../../texts/ui.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { useLabels } from "../../ui/labels.ts";
import { useRoleOptions } from "../shared/role-fields.tsx";
import { UnitSelect } from "../shared/unit-select.tsx";

/** What changes when a mapping is made or removed. */
export const MAPPED = [
  "GET /api/organization/mappings",
  "GET /api/organization/connections/{id}/groups",
  "GET /api/organization/connections/{id}",
  "GET /api/members",
] as const;

type Props = ButtonProps & {
  readonly connectionId: string;
  /** The group that is chosen already. */
  readonly group?: string;
  readonly label: string;
  readonly "aria-label"?: string;
};

export function MapGroup({ connectionId, group = "", ...button }: Props) {
  const texts = useTexts(groupTexts);
  return (
    <DialogButton {...button} title={texts.map}>
      {(close) => <MapForm connectionId={connectionId} group={group} onClose={close} />}
    </DialogButton>
  );
}

type Preview = Schemas["SsoMappingPreview"];

const ORG_ADMIN = "ORG_ADMIN";
type Values = { group: string; roleId: string; unitId: string | null };
type FormProps = { readonly connectionId: string; readonly group: string; readonly onClose: () => void };

/** The form: it first shows who gains the role, then saves. Another choice needs another look. */
function MapForm({ connectionId, group, onClose }: FormProps) {
  const texts = useTexts(groupTexts);
  const { nothingFound } = useTexts(uiTexts);
  const words = useLabels();
  const client = useClient();
  const maySeePeople = useCan("Members.Read", null) === true;
  const { roles, units } = useRoleOptions();
  const { data: seen } = useApiQuery(
    "GET /api/organization/connections/{id}/groups",
    { path: { id: connectionId }, query: { pageSize: 100, sort: "people", order: "desc" } },
    { staleTime: 30_000 },
  );
  const [preview, setPreview] = useState<{ of: string; is: Preview } | null>(null);
  const bodyOf = (values: Values) => ({ ...values, connectionId });
  const form = useApiForm<Values>({
    initialValues: { group, roleId: "", unitId: null },
    async save(values, idempotencyKey) {
      const body = bodyOf(values);
      if (maySeePeople && preview?.of !== JSON.stringify(values)) {
        const is = await client.request("POST /api/organization/mappings/preview", { body });
        setPreview({ of: JSON.stringify(values), is });
        return;
      }
      await client.request("POST /api/organization/mappings", { body, idempotencyKey });
      onClose();
    },
    invalidates: MAPPED,
    fieldOf: { PERMISSION_NOT_HELD: "roleId", UNIT_FORBIDDEN: "unitId" },
    sentenceOf: { CONFLICT: texts.conflict },
  });
  const { values } = form.form;
  const shown = preview?.of === JSON.stringify(values) ? preview.is : null;
  const isAdmin = roles.some(({ id, name }) => id === values.roleId && name === ORG_ADMIN);
  return (
    <Form of={form} submit={maySeePeople && shown === null ? texts.preview : texts.save} onCancel={onClose}>
      <Autocomplete
        label={texts.group}
        description={texts.groupAbout}
        data={[...new Set(seen?.data.map((one) => one.group))]}
        limit={20}
        {...form.field("group")}
      />
      <Select
        label={texts.role}
        searchable
        limit={100}
        nothingFoundMessage={nothingFound}
        allowDeselect={false}
        data={roles.map(({ id, name }) => ({ value: id, label: words.role(name) }))}
        {...form.field("roleId")}
        value={values.roleId === "" ? null : values.roleId}
      />
      <UnitSelect label={texts.place} units={units} whole {...form.field("unitId")} value={values.unitId} />
      {isAdmin && (
        <Alert color="red" role="alert">
          {texts.admin}
        </Alert>
      )}
      {shown !== null && <Gains of={shown} />}
      {!maySeePeople && <Alert color="yellow">{texts.noPreview}</Alert>}
    </Form>
  );
}

/** Who gains a role by a mapping: the people who had the group at their last sign-in. */
function Gains({ of: { gains, total } }: { of: Preview }) {
  const texts = useTexts(groupTexts);
  const { number } = useFormat();
  return (
    <section aria-label={texts.gains}>
      <Text size="sm" role="status">
        {total === 0 ? texts.nobody : texts.gainsCount(number(total))}
      </Text>
      <List size="sm" mt={4}>
        {gains.map(({ userId, email, holdsAlready }) => (
          <List.Item key={userId} className="break">
            {email}
            {holdsAlready && ` (${texts.already})`}
          </List.Item>
        ))}
      </List>
      {gains.length < total && <Text size="sm">{texts.shown(number(gains.length), number(total))}</Text>}
    </section>
  );
}
