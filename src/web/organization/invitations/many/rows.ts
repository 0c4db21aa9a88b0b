import type { RequestOptions } from "../../../../client/index.ts";
import type { Language } from "../../../lib/i18n.tsx";
import { folded } from "../../../theme/fold.ts";
import type { AssignmentInput } from "../../shared/assignments.tsx";
import { byId, pathTo, type UnitLike } from "../../shared/units.ts";
import { addressesIn } from "../addresses.ts";
import type { Columns } from "./columns.ts";

export type Body = RequestOptions<"POST /api/members/invitations/bulk">["body"]["rows"][number];

/** What the console itself finds wrong with a row. */
export type Problem = "noAddress" | "repeated" | "unknownRole" | "unknownUnit" | "noRole" | "unknownLanguage";

/** A row of the table, and the invitation that it asks for; null if the console finds a problem. */
export type Row = {
  readonly cells: readonly string[];
  readonly email: string;
  readonly body: Body | null;
  readonly problem: Problem | null;
};

/** What the user may choose, and what is chosen for the rows whose column does not say it. */
export type Choices = {
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly shownName: (name: string) => string;
  readonly units: readonly UnitLike[];
  readonly roleIds: readonly string[];
  readonly unitId: string | null;
  readonly language: Language;
};

const LANGUAGE_NAMES: Record<Language, readonly string[]> = {
  en: ["en", "english", "αγγλικα"],
  el: ["el", "gr", "greek", "ελληνικα"],
};

/** Returns the invitations of the rows of a table, without its heading. */
export function rowsOf(table: readonly (readonly string[])[], columns: Columns, choices: Choices): Row[] {
  const roleIds = new Map(
    choices.roles.flatMap(({ id, name }) => [
      [folded(choices.shownName(name)), id],
      [folded(name), id],
    ]),
  );
  const unitIds = unitIdsOf(choices.units);
  const seen = new Set<string>();
  return table.map((cells) => {
    const at = (column: number | null) => (column === null ? "" : (cells[column] ?? ""));
    const written = at(columns.email);
    const email = addressesIn(written)[0] ?? written.toLowerCase();
    const refused = (problem: Problem) => ({ cells, email, body: null, problem });
    if (!email.includes("@")) return refused("noAddress");
    if (seen.has(email)) return refused("repeated");
    seen.add(email);

    const roles = rolesOf(at(columns.role), roleIds) ?? choices.roleIds;
    if (roles.includes("")) return refused("unknownRole");
    if (roles.length === 0) return refused("noRole");
    const place = at(columns.unit);
    const unitId = place === "" ? choices.unitId : unitIds.get(pathKey(place));
    if (unitId === undefined) return refused("unknownUnit");
    const language = at(columns.language);
    const known = Object.entries(LANGUAGE_NAMES).find(([, names]) => names.includes(folded(language)));
    if (language !== "" && known === undefined) return refused("unknownLanguage");
    const assignments: AssignmentInput[] = roles.map((roleId) => ({ roleId, unitId }));
    const body = { email, assignments, language: (known?.[0] as Language | undefined) ?? choices.language };
    return { cells, email, body, problem: null };
  });
}

/** Returns the ids of the roles in a cell, "" for an unknown one; null for an empty cell. */
function rolesOf(cell: string, ids: ReadonlyMap<string, string>): string[] | null {
  if (cell === "") return null;
  const whole = ids.get(folded(cell));
  if (whole !== undefined) return [whole];
  const names = cell.split(/[|;,]/).map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => ids.get(folded(name)) ?? "");
}

/** Paths are compared without case and accents, and may be written with `>` or `/`. */
const pathKey = (path: string) =>
  path
    .split(/[>/]/)
    .map((name) => folded(name.trim()))
    .join("/");

/** Returns the units by their path, and by their name if only one has it; undefined for a name that several have. */
function unitIdsOf(units: readonly UnitLike[]): Map<string, string | undefined> {
  const known = byId(units);
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of units) ids.set(pathKey(name), ids.has(pathKey(name)) ? undefined : id);
  for (const { id } of units)
    ids.set(
      pathTo(known, id)
        .map(({ name }) => pathKey(name))
        .join("/"),
      id,
    );
  return ids;
}
