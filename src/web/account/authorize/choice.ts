import type { Schemas } from "../../../client/index.ts";

type Request = Schemas["AuthorizationRequest"];
export type OrganizationOfRequest = Request["organizations"][number];

export type Choice = {
  readonly organizationId: string | null;
  /** Whether the app is limited to a unit; `unitId` is null until one is chosen. */
  readonly isLimited: boolean;
  readonly unitId: string | null;
  readonly scopes: readonly string[];
  readonly days: number;
};

export type ChoiceProps = { readonly choice: Choice; readonly onChange: (choice: Choice) => void };

/** Returns the organization to propose: the active one, or else the first in which the app is allowed. */
export function firstOrganization(organizations: readonly OrganizationOfRequest[]): string | null {
  const [first = null] = sorted(organizations.filter(({ allowed }) => allowed));
  return (first ?? sorted(organizations)[0])?.id ?? null;
}

export const sorted = (organizations: readonly OrganizationOfRequest[]): OrganizationOfRequest[] =>
  organizations.toSorted((one, other) => Number(other.current) - Number(one.current));

/** Returns the choice to begin with in an organization: all that only reads is chosen, and nothing that changes. */
export function choiceIn({ days, scopes, organizations }: Request, organizationId: string | null): Choice {
  const held = organizations.find(({ id }) => id === organizationId)?.scopes ?? [];
  const read = scopes.filter(({ name, write }) => !write && held.includes(name));
  return { organizationId, isLimited: false, unitId: null, scopes: read.map(({ name }) => name), days };
}
