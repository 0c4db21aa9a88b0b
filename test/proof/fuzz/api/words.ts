import { claimsOf } from "../../../support/caller.ts";
import { SEES } from "./callers.ts";
import { byId } from "./operations.ts";
import { MARKER } from "./organization.ts";
import type { Plan } from "./requests.ts";
import type { World } from "./world.ts";

/** Whoever holds an invitation's link reads its organization, and whoever holds a challenge and a code signs in there. */
const SHOW_OWN = new Set(["peekInvitation", "verifyTwoFactor"]);

/** Routes on which staff read notes; the same people have tickets of their own on others. */
const OF_STAFF = /\/helpdesk\//;

/** The organizations that an answer may tell of. */
export const seenIn = ({ operation, caller }: Plan) =>
  SHOW_OWN.has(operation) ? [...SEES[caller], "own" as const] : SEES[caller];

/** Whether a caller's token is of a platform administrator: they see every organization. */
export function seesAll({ caller }: Plan, { callers }: World): boolean {
  const token = callers[caller].accessToken;
  return token !== null && claimsOf(token).isPlatformAdmin;
}

/**
 * The first word in an answer that the caller may not read, and whose it is: of another organization, of notes that are
 * not for them, or of a record that was deleted.
 */
export function forbiddenWord(plan: Plan, world: World, text: string): string | null {
  const isAll = seesAll(plan, world);
  const isOfStaff = OF_STAFF.test(byId.get(plan.operation)?.path ?? "");
  const seen = seenIn(plan).map((name) => world.organizations[name]);
  const all = Object.values(world.organizations);
  const readable = new Set([
    ...(isAll ? all : seen).map(({ marker }) => marker),
    ...(isOfStaff ? (isAll ? all : seen).map(({ words }) => words.notes) : []),
    ...(isOfStaff && isAll ? all.map(({ words }) => words.platformNotes) : []),
  ]);
  const others = new Map(
    all.flatMap(({ words }) => [
      [words.notes, "a note of staff"] as const,
      [words.platformNotes, "a note of the platform's staff"] as const,
      [words.gone, "of what was deleted"] as const,
    ]),
  );
  for (const [word] of text.matchAll(MARKER)) {
    if (readable.has(word)) continue;
    const whose = others.get(word);
    // A platform administrator sees what earlier cases left, and not all of them know whose it is.
    if (whose !== undefined) return `${word}, which is ${whose}`;
    if (!isAll) return `${word}, which is of another organization`;
  }
  return null;
}
