import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import { type CallerName, ORGANIZATIONS, SEES } from "./callers.ts";
import { passwordOf, RECOVERY_CODES, SECRET, type World } from "./world.ts";

const REFERENCE = /@@(\w+):(\d+)/g;

/** A value with its references looked up, at any depth. */
export function lookUp<T>(value: T, world: World, caller: CallerName): T {
  if (typeof value === "string")
    return value.replace(REFERENCE, (_, kind, number) => find(kind, Number(number), world, caller)) as T;
  if (Array.isArray(value)) return value.map((one) => lookUp(one, world, caller)) as T;
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, lookUp(one, world, caller)]),
    ) as T;
  return value;
}

const at = (all: string[], number: number, otherwise: string) => all[number % all.length] ?? otherwise;
const NOBODY = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";

/** Of four ids two are of the caller's organization, one of another, one of an earlier answer. */
function find(kind: string, number: number, world: World, caller: CallerName): string {
  const rest = Math.floor(number / 4);
  switch (kind) {
    case "password":
      return passwordOf(caller);
    case "email":
      return number % 4 !== 3 ? world.callers[caller].email : at(world.emails, rest, "");
    case "freshEmail":
      return `fresh-${number}-${world.organizations.own.slug}@example.com`;
    case "token":
    case "challengeToken":
      return at(world.tokens, rest, "");
    case "slug":
      return at(
        ORGANIZATIONS.map((name) => world.organizations[name].slug),
        rest,
        "",
      );
    case "code":
      if (caller !== "secondFactor") return "123456";
      return codeOfStep(fromBase32(SECRET), currentStep() + (number % 3) - 1);
    case "recoveryCode":
      return caller === "secondFactor" ? at(RECOVERY_CODES, rest, "") : "aaaa-bbbb";
    case "provider":
      return at(["google", "none", "__proto__"], rest, "");
  }
  const own = SEES[caller][0] ?? "own";
  const other = ORGANIZATIONS.filter((name) => name !== own)[rest % 3] ?? "other";
  const ids = world.organizations[number % 4 === 2 ? other : own].ids;
  const planted = kind === "any" ? Object.values(ids).flat() : (ids[kind] ?? []);
  if (number % 4 !== 3 && planted.length > 0) return at(planted, rest, NOBODY);
  const found = world.found.filter((one) => kind === "any" || one.kind === kind);
  const mine = found.filter((one) => one.caller === caller);
  // The newest first, because it is the one that is most likely to be there still.
  const chosen = mine.length > 0 && number % 8 < 6 ? mine : found;
  return at(chosen.map(({ id }) => id).toReversed(), rest % 5, NOBODY);
}
