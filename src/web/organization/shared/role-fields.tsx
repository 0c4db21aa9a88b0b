import type { Schemas } from "../../../client/index.ts";
import { useApiQuery } from "../../../client/react.ts";
import type { ApiForm } from "../../lib/form.ts";
import { type AssignmentInput, Assignments } from "./assignments.tsx";

type Values = { assignments: AssignmentInput[] };

/** Converts assignments to the form of a request. */
export const inputOf = (assignments: readonly Schemas["Assignment"][]): AssignmentInput[] =>
  assignments.map(({ role, unit }) => ({ roleId: role.id, unitId: unit?.id ?? null }));

type Options = {
  readonly roles: readonly Schemas["RoleOption"][];
  readonly units: readonly Schemas["UnitOption"][];
};

/** Loads the roles and units that the user may give to members. */
export function useRoleOptions() {
  const fresh = { staleTime: 30_000 };
  const { data: roles = [], error } = useApiQuery("GET /api/members/role-options", {}, fresh);
  const { data: units = [] } = useApiQuery("GET /api/members/unit-options", {}, fresh);
  return { roles, units, error };
}

/** Returns the roles and units to choose from: present ones are options even if the user may not assign them. */
export function optionsWith(assigned: readonly Schemas["Assignment"][], { roles, units }: Options) {
  const given = assigned.flatMap(({ role }) => (roles.some(({ id }) => id === role.id) ? [] : [role]));
  const places = assigned.flatMap(({ unit }) =>
    unit === null || units.some(({ id }) => id === unit.id) ? [] : [{ ...unit, parentId: null }],
  );
  return { roles: [...distinct(given), ...roles], units: [...distinct(places), ...units] };
}

type Props<Form> = Options & {
  readonly of: Form;
  /** The member's present assignments. */
  readonly assigned: readonly Schemas["Assignment"][];
  readonly whole: boolean;
};

/** The field `assignments` of a form. */
export const RoleFields = ({
  of: { form },
  assigned,
  whole,
  ...options
}: Props<Pick<ApiForm<Values>, "form">>) => (
  <Assignments
    value={form.values.assignments}
    onChange={(next) => {
      form.clearErrors();
      form.setFieldValue("assignments", next);
    }}
    errorAt={(path) => form.errors[path]}
    {...optionsWith(assigned, options)}
    whole={whole}
  />
);

const distinct = <Item extends { id: string }>(items: Item[]) => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
