import type { Schemas } from "../../../client/index.ts";
import type { ApiForm } from "../../lib/form.ts";
import { type AssignmentInput, Assignments } from "./assignments.tsx";

type Values = { assignments: AssignmentInput[] };

/** Assignments as requests have them. */
export const inputOf = (assignments: readonly Schemas["Assignment"][]): AssignmentInput[] =>
  assignments.map(({ role, unit }) => ({ roleId: role.id, unitId: unit?.id ?? null }));

type Props<Form> = {
  readonly of: Form;
  /** What is held already. */
  readonly held: readonly Schemas["Assignment"][];
  readonly roles: readonly Schemas["RoleOption"][];
  readonly units: readonly Schemas["UnitOption"][];
  /** Whether a role may be given in the whole organization. */
  readonly whole: boolean;
};

/** The field `assignments` of a form. Roles and units that are held but may not be given are choices all the same. */
export function RoleFields({
  of: { form },
  held,
  roles,
  units,
  whole,
}: Props<Pick<ApiForm<Values>, "form">>) {
  const given = held.flatMap(({ role }) => (roles.some(({ id }) => id === role.id) ? [] : [role]));
  const places = held.flatMap(({ unit }) =>
    unit === null || units.some(({ id }) => id === unit.id) ? [] : [{ ...unit, parentId: null }],
  );
  return (
    <Assignments
      value={form.values.assignments}
      onChange={(next) => {
        form.clearErrors();
        form.setFieldValue("assignments", next);
      }}
      errorAt={(path) => form.errors[path]}
      roles={[...distinct(given), ...roles]}
      units={[...distinct(places), ...units]}
      whole={whole}
    />
  );
}

const distinct = <Item extends { id: string }>(items: Item[]) => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
