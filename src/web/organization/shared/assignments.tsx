import { ActionIcon, Button, CloseIcon, Group, Input, Select, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { assignmentTexts } from "../../texts/organization-shared.ts";
import { uiTexts } from "../../texts/ui.ts";
import { useLabels } from "../../ui/labels.ts";
import { UnitSelect } from "./unit-select.tsx";
import type { UnitLike } from "./units.ts";

/** A role assignment as sent to the API. `roleId` is empty until a role is chosen. */
export type AssignmentInput = { roleId: string; unitId: string | null };

type Props = {
  readonly value: readonly AssignmentInput[];
  readonly onChange: (next: AssignmentInput[]) => void;
  /** Returns the error at a dotted path, such as `assignments.0.roleId`. */
  readonly errorAt: (path: string) => ReactNode;
  readonly roles: readonly Pick<Schemas["RoleOption"], "id" | "name">[];
  readonly units: readonly UnitLike[];
  /** Whether roles may be assigned organization-wide. */
  readonly whole: boolean;
};

export function Assignments({ value, onChange, errorAt, roles, units, whole }: Props) {
  const texts = useTexts(assignmentTexts);
  const { nothingFound } = useTexts(uiTexts);
  const words = useLabels();
  const change = (index: number, part: Partial<AssignmentInput>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const error = errorAt("assignments");
  const first = whole ? null : (units[0]?.id ?? null);
  return (
    <Stack gap="sm">
      {value.map((assignment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no id, and no state of their own
        <Group key={index} gap="xs" align="flex-end" className="assignment">
          <Select
            className="assignment-field"
            label={texts.role}
            searchable
            limit={100}
            nothingFoundMessage={nothingFound}
            allowDeselect={false}
            data={roles.map(({ id, name }) => ({ value: id, label: words.role(name) }))}
            value={assignment.roleId === "" ? null : assignment.roleId}
            onChange={(roleId) => change(index, { roleId: roleId ?? "" })}
            error={errorAt(`assignments.${index}.roleId`) ?? errorAt(`assignments.${index}`)}
          />
          <UnitSelect
            className="assignment-field"
            label={texts.where}
            units={units}
            whole={whole || assignment.unitId === null}
            value={assignment.unitId}
            onChange={(unitId) => change(index, { unitId })}
            error={errorAt(`assignments.${index}.unitId`)}
          />
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={texts.drop}
            title={texts.drop}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          >
            <CloseIcon size="16" />
          </ActionIcon>
        </Group>
      ))}
      {error && <Input.Error>{error}</Input.Error>}
      <div>
        <Button
          variant="default"
          size="xs"
          onClick={() => onChange([...value, { roleId: "", unitId: first }])}
        >
          {texts.add}
        </Button>
      </div>
    </Stack>
  );
}
