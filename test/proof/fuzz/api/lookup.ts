import { codeOfStep, currentStep, fromBase32 } from "../../../support/two-factor.ts";
import { type CallerName, ORGANIZATIONS, SEES } from "./callers.ts";
import { RECOVERY_CODES, SECRET } from "./tokens.ts";
import { passwordOf, type World } from "./world.ts";

const REFERENCE = /@@(\w+):(\d+)/g;

/** Who looks up; ids of the foreign kind are of another organization, or of nothing, all others of the caller's own. */
export type Seeker = { caller: CallerName; foreign: string | null; isUnknown?: boolean };

const VISIT = ["code", "state", "iss"] as const;

/** The kinds of records that a plan refers to by their ids. */
export const kindsIn = (plan: unknown): string[] =>
  [...new Set([...JSON.stringify(plan).matchAll(REFERENCE)].map(([, kind = ""]) => kind))].filter(
    (kind) => kind in FOREIGN,
  );
/** The records of an organization for each kind of id. */
const FOREIGN: Record<string, string> = {
  ...{ role: "role", unit: "unit", user: "user", invitation: "invitation", todo: "todo", ticket: "ticket" },
  ...{ organization: "organization", notification: "notification", ownTicket: "ticket" },
};

/** A value with its references looked up, at any depth. */
export function lookUp<T>(value: T, world: World, seeker: Seeker): T {
  if (typeof value === "string")
    return value.replace(REFERENCE, (_, kind, number) => find(kind, Number(number), world, seeker)) as T;
  if (Array.isArray(value)) return value.map((one) => lookUp(one, world, seeker)) as T;
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, lookUp(one, world, seeker)]),
    ) as T;
  return value;
}

const at = (all: string[], number: number, otherwise: string) => all[number % all.length] ?? otherwise;
const NOBODY = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";

/** Of eight ids five are of the caller's organization, one of another, two of earlier answers. */
function find(kind: string, number: number, world: World, { caller, foreign, isUnknown }: Seeker): string {
  const rest = Math.floor(number / 8);
  switch (kind) {
    case "password":
      return passwordOf(caller);
    case "email":
      return number % 4 !== 3 ? world.callers[caller].email : at(world.emails, rest, "");
    case "freshEmail":
      return `fresh-${number}-${world.organizations.own.slug}@example.com`;
    case "token":
      return at(world.tokens, rest, "");
    case "challengeToken":
      return at(number % 8 === 7 ? world.tokens : world.challenges, rest, "");
    case "sought":
      return at(number % 2 === 0 ? world.numbers : world.sought, rest, "");
    case "slug":
      return at(
        ORGANIZATIONS.map((name) => world.organizations[name].slug),
        rest,
        "",
      );
    case "code":
      return codeOfStep(fromBase32(world.secrets.get(caller) ?? SECRET), currentStep() + (number % 3) - 1);
    case "recoveryCode":
      return at(RECOVERY_CODES, rest, "");
    case "provider":
      return at(["google", "google", "google", "none", "__proto__"], rest, "");
    case "visit":
      return world.visits.get(caller)?.[VISIT[number] ?? "code"] ?? "none";
  }
  const own = SEES[caller][0] ?? "own";
  const other = ORGANIZATIONS.filter((name) => name !== own)[rest % 3] ?? "other";
  if (foreign === kind)
    return isUnknown ? NOBODY : at(world.organizations[other].ids[FOREIGN[kind] ?? kind] ?? [], rest, NOBODY);
  const ids = world.organizations[foreign === null && number % 8 === 5 ? other : own].ids;
  const planted = kind === "any" ? Object.values(ids).flat() : (ids[kind] ?? []);
  if (number % 8 < 6 && planted.length > 0) return at(planted, rest, NOBODY);
  const found = world.found.filter((one) => kind === "any" || one.kind === (FOREIGN[kind] ?? kind));
  const mine = found.filter((one) => one.caller === caller);
  // The newest first, because it is the one that is most likely to be there still.
  const chosen = mine.length > 0 && number % 16 < 13 ? mine : found;
  return at(chosen.map(({ id }) => id).toReversed(), rest % 5, NOBODY);
}
