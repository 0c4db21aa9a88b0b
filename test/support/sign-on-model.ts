import fc from "fast-check";

/* The rules of who acts where (rules 42 and 43), written a second time, and random worlds to compare them with the service. */

const SCOPES = ["off", "domains", "everyone"] as const;
type Scope = (typeof SCOPES)[number];

/** What one organization asks, and what a person has there. */
export type Place = {
  policy: { scope: Scope; twoFactor: boolean; hours: number | null } | null;
  announced: { scope: Scope; twoFactor: boolean; isInEffect: boolean } | null;
  connection: { status: "ENABLED" | "DISABLED" | "DRAFT"; isTrusted: boolean };
  /** Whether an identity was linked before the proofs of the session, after them, or not at all. */
  identity: "before" | "after" | null;
  /** The status of a domain of the organization in which a former address of the person lies. */
  domain: "VERIFIED" | "LAPSED" | "PENDING" | null;
  isBreakGlass: boolean;
  /** The proof of the session by the connection. */
  shown: { factors: 1 | 2; minutesAgo: number } | null;
};

/** The account's own proofs of a session. */
export type OwnProof = { factors: 1 | 2; minutesAgo: number };

/** How old proofs are. Some have seven minutes left of the hours below, which is less than an access token lasts. */
const minutesAgo = fc.constantFrom(5, 53, 90, 24 * 60 - 7, 25 * 60, 60 * 60);
const hours = fc.constantFrom(null, 1, 24, 48);
export const SSO_HOURS = 24;

const factors = fc.constantFrom(1 as const, 2 as const);
const proof = fc.record({ factors, minutesAgo });
const asked = { scope: fc.constantFrom(...SCOPES), twoFactor: fc.boolean() };
const place: fc.Arbitrary<Place> = fc.record({
  policy: fc.option(fc.record({ ...asked, hours }), { freq: 4 }),
  announced: fc.option(fc.record({ ...asked, isInEffect: fc.boolean() }), { freq: 1 }),
  connection: fc.record({
    status: fc.constantFrom("ENABLED" as const, "ENABLED" as const, "DISABLED" as const, "DRAFT" as const),
    isTrusted: fc.boolean(),
  }),
  identity: fc.constantFrom("before" as const, "before" as const, "after" as const, null),
  domain: fc.constantFrom("VERIFIED" as const, "LAPSED" as const, "PENDING" as const, null),
  isBreakGlass: fc.boolean(),
  shown: fc.option(proof, { freq: 2 }),
});

export type World = { places: Place[]; own: OwnProof | null };

/** A session of a person who is a member of so many organizations. A session without any proof does not exist. */
export const worldOf = (places: number): fc.Arbitrary<World> =>
  fc
    .record({ places: fc.array(place, { minLength: places, maxLength: places }), own: fc.option(proof) })
    .filter(({ places, own }) => own !== null || places.some(({ shown }) => shown !== null));

/** What the policy asks now. */
export function inEffect({ policy, announced }: Place) {
  const { hours = null } = policy ?? {};
  const { scope = "off", twoFactor = false } = (announced?.isInEffect ? announced : policy) ?? {};
  return policy === null ? { scope: "off" as const, twoFactor: false, hours } : { scope, twoFactor, hours };
}

function isBound(place: Place): boolean {
  const { scope } = inEffect(place);
  const isOfDomain = place.domain === "VERIFIED" || place.domain === "LAPSED" || place.identity !== null;
  return !place.isBreakGlass && (scope === "everyone" || (scope === "domains" && isOfDomain));
}

/** Returns the code that keeps a session out of an organization, or null and for how many minutes it may still act. */
export function verdict(
  place: Place,
  own: OwnProof | null,
  hasFactor: boolean,
): { code: string | null; minutesLeft: number } {
  const { twoFactor, hours } = inEffect(place);
  const left = (age: number, max: number | null) =>
    max === null ? Number.POSITIVE_INFINITY : max * 60 - age;
  const isLinked = place.connection.status === "ENABLED" && place.identity === "before";
  const byOwn = own !== null && !isBound(place) ? left(own.minutesAgo, hours) : 0;
  const bySso = place.shown !== null && isLinked ? left(place.shown.minutesAgo, hours ?? SSO_HOURS) : 0;
  const minutesLeft = Math.max(byOwn, bySso, 0);
  if (minutesLeft === 0)
    return {
      code: own === null || isBound(place) ? "SSO_REQUIRED" : "REAUTHENTICATION_REQUIRED",
      minutesLeft,
    };
  if (!twoFactor || own?.factors === 2) return { code: null, minutesLeft };
  if (bySso > 0 && place.shown?.factors === 2) return { code: null, minutesLeft: bySso };
  return { code: hasFactor ? "REAUTHENTICATION_REQUIRED" : "TWO_FACTOR_REQUIRED", minutesLeft: 0 };
}

/** Whether a member could not act under the policy in effect, whatever the member proves now. */
export function isAffected(place: Place, hasFactor: boolean): boolean {
  const { connection, identity } = place;
  const own = { factors: hasFactor ? (2 as const) : (1 as const), minutesAgo: 0 };
  const shown = { factors: connection.isTrusted ? (2 as const) : (1 as const), minutesAgo: 0 };
  return verdict({ ...place, identity: identity && "before", shown }, own, hasFactor).code !== null;
}
