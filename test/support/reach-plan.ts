import fc from "fast-check";

/*
 * The random input of the property tests of reach (test/core/access and test/features/events). Its numbers refer to items that exist when they are
 * used, so that a plan stays valid while fast-check shrinks it.
 */

/** The maximum number of members besides the founder. */
export const MAX_MEMBERS = 10;

/** A number that `oneOf` resolves to an existing item when it is used. */
const pick = fc.nat(9_999);
const picks = (maxLength: number) => fc.array(pick, { maxLength });
const place = fc.option(pick, { freq: 3 });
const assignment = fc.record({ role: pick, place });
const PERMISSIONS = [
  ...["Units.Read", "Units.Create", "Units.Update", "Units.Delete", "Members.Read", "Members.UpdateRoles"],
  ...["Members.UpdateUnits", "Members.Delete", "Invitations.Create", "Todos.Read", "Billing.Read"],
  ...["Events.Read", "Todos.ReadAny", "Todos.Create"],
];

/** The custom roles of every organization: one without permissions, and one that can link members to units. */
const OWN_ROLES = [[], ["Members.Read", "Members.UpdateRoles", "Members.UpdateUnits"]];
/** The second custom role, organization-wide. In a unit, the same member usually has more permissions. */
const givesEverywhere = fc.constant({ role: 4, place: null });
/** A number that `oneOf` resolves to the first custom role. */
const EMPTY_ROLE = 65;

const step = fc.record({
  actor: pick,
  /** Whether the caller uses an access token that may be older than the last changes. */
  isStale: fc.nat(2).map((number) => number === 2),
  does: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("roles" as const),
        person: pick,
        wanted: fc.array(assignment, { maxLength: 3 }),
        keeps: fc.boolean(),
        toOwn: fc.constant(false),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("roles" as const),
        person: pick,
        wanted: fc.array(fc.record({ role: fc.constant(EMPTY_ROLE), place: pick }), {
          minLength: 1,
          maxLength: 1,
        }),
        keeps: fc.constant(true),
        /** Whether the roles are assigned in units in which the caller has a role. */
        toOwn: fc.constant(true),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("units" as const),
        person: pick,
        wanted: picks(3),
        keeps: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), person: pick }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("create" as const), parent: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), unit: pick }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("move" as const), unit: pick, to: place }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), unit: pick }) },
  ),
  filter: picks(3),
  people: picks(3),
});

/** An organization, and the requests that are sent in it. */
export const plan = fc.record({
  units: fc.array(fc.record({ below: fc.nat(12), name: fc.constantFrom("b", "A", "ä", "Γ", "c") }), {
    maxLength: 10,
    size: "max",
  }),
  deletedUnits: picks(2),
  roles: fc
    .array(fc.subarray(PERMISSIONS), { maxLength: 3 })
    .map((roles): string[][] => [...OWN_ROLES, ...roles]),
  members: fc.array(
    fc.record({
      assignments: fc.oneof(
        { weight: 2, arbitrary: fc.array(assignment, { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.tuple(givesEverywhere, fc.record({ role: pick, place: pick })) },
      ),
      links: picks(2),
      pastLinks: picks(1),
      isRemoved: fc.nat(6).map((number) => number === 6),
      enters: fc.constantFrom("switch" as const, "refresh" as const, "login" as const),
    }),
    { minLength: 1, maxLength: MAX_MEMBERS, size: "max" },
  ),
  moves: fc.array(fc.record({ unit: pick, to: place }), { maxLength: 3 }),
  /** Roles assigned while their members are signed in. */
  grants: fc.array(fc.record({ person: pick, assignment }), { maxLength: 4 }),
  steps: fc.array(step, { maxLength: 12, size: "max" }),
});
export type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;
export type Step = Plan["steps"][number];

/** An id that does not exist. */
export const UNKNOWN = "99999999-9999-4999-8999-999999999999";

/**
 * Resolves a number to an item. Every twentieth number is resolved to a deleted, foreign or unknown item. Most others
 * are resolved to one within the caller's limited reach, the rest to any existing item.
 */
export function oneOf(
  number: number,
  { inReach, existing, invalid }: Record<"inReach" | "existing" | "invalid", string[]>,
): string {
  const kind = number % 20;
  const there = kind >= 5 && inReach.length > 0 ? inReach : existing;
  const from = kind === 19 || there.length === 0 ? invalid : there;
  return from[Math.floor(number / 20) % from.length] ?? UNKNOWN;
}
