import { expect, test } from "bun:test";
import { composeList, sqlOf } from "../../src/dev/queries/compose-list.ts";
import { declareList } from "../../src/dev/queries/declare-list.ts";
import { includeFragments, takeFragments } from "../../src/dev/queries/fragments.ts";
import { replaceLists } from "../../src/dev/queries/list-block.ts";

const NOTES = `/* @list notes from notes n by id */
/* @columns */ n.id, o.name
/* @join */ JOIN owners o ON o.id = n.owner_id
/* @where */ NOT n.is_deleted
/* @if ownerId */ n.owner_id = :ownerId
/* @if not ownerId */ n.is_public
/* @if text */ n.text = :text
  OR n.title = :text
/* A comment. */
/* @if words in counts */ n.words = :words
/* @sort createdAt */ n.created_at
/* @sort readAt nulls first */ n.read_at
/* @total notes(ownerId) */
/* @first ownerId by createdAt desc */
/* @first by readAt asc */
/* @find findNote if ownerId */ n.id = :id!;`;

const listOf = (text: string) => {
  let composed: ReturnType<typeof composeList> | undefined;
  replaceLists(text, (list) => {
    composed = composeList(list);
    return "";
  });
  if (composed === undefined) throw new Error("No list");
  return composed;
};
const statementOf = (query: string, text = NOTES) =>
  sqlOf(listOf(text)).split(`/* @name ${query} */\n`)[1]?.split(";\n")[0] ?? "";

test("a list is replaced by its statements, and the rest of the file stays", () => {
  const sql = replaceLists(`/* Before */\n${NOTES}\n\n/* @name other */\nSELECT 1;`, () => "composed");
  expect(sql).toBe("/* Before */\ncomposed\n\n/* @name other */\nSELECT 1;");
});

test("a page selects its keys first, and each condition can be switched off", () => {
  expect(statementOf("listNotes")).toBe(`SELECT n.id, o.name
FROM (
  SELECT n.id FROM notes n
  WHERE NOT n.is_deleted
    AND (n.owner_id = :ownerId OR :ownerId IS NULL)
    AND (n.is_public OR :ownerId IS NOT NULL)
    AND (n.text = :text
    OR n.title = :text OR :text IS NULL)
  ORDER BY
    CASE WHEN :sort! = 'createdAt' AND :descending!::boolean THEN n.created_at END DESC,
    CASE WHEN :sort! = 'createdAt' AND NOT :descending!::boolean THEN n.created_at END,
    CASE WHEN :sort! = 'readAt' AND :descending!::boolean THEN n.read_at END DESC NULLS LAST,
    CASE WHEN :sort! = 'readAt' AND NOT :descending!::boolean THEN n.read_at END NULLS FIRST,
    CASE WHEN :descending!::boolean THEN n.id END DESC,
    CASE WHEN NOT :descending!::boolean THEN n.id END
  LIMIT :limit! OFFSET :offset!
) page
JOIN notes n ON n.id = page.id
JOIN owners o ON o.id = n.owner_id
ORDER BY
  CASE WHEN :sort! = 'createdAt' AND :descending!::boolean THEN n.created_at END DESC,
  CASE WHEN :sort! = 'createdAt' AND NOT :descending!::boolean THEN n.created_at END,
  CASE WHEN :sort! = 'readAt' AND :descending!::boolean THEN n.read_at END DESC NULLS LAST,
  CASE WHEN :sort! = 'readAt' AND NOT :descending!::boolean THEN n.read_at END NULLS FIRST,
  CASE WHEN :descending!::boolean THEN n.id END DESC,
  CASE WHEN NOT :descending!::boolean THEN n.id END`);
});

test("a count has the conditions of the page, and those for counts", () => {
  expect(statementOf("countNotes")).toBe(`SELECT count(*)::int AS "total!"
FROM notes n
WHERE NOT n.is_deleted
  AND (n.owner_id = :ownerId OR :ownerId IS NULL)
  AND (n.is_public OR :ownerId IS NOT NULL)
  AND (n.text = :text
  OR n.title = :text OR :text IS NULL)
  AND (n.words = :words OR :words IS NULL)`);
});

test("a first page has a literal order and size, the conditions that apply, and the stored total", () => {
  expect(
    statementOf("firstNotesOfOwnerIdByCreatedAtDesc"),
  ).toBe(`SELECT (SELECT COALESCE(sum(rows), 0)::int FROM counted_rows
  WHERE list = 'notes' AND owner = :ownerId! AND part IS NULL) AS "total!",
  n.id, o.name
FROM (
  SELECT n.* FROM notes n
  WHERE NOT n.is_deleted
    AND (n.owner_id = :ownerId)
  ORDER BY n.created_at DESC, n.id DESC
  LIMIT 20
) n
JOIN owners o ON o.id = n.owner_id
ORDER BY n.created_at DESC, n.id DESC`);
  expect(statementOf("firstNotesByReadAtAsc")).toBe(`SELECT n.id, o.name
FROM (
  SELECT n.* FROM notes n
  WHERE NOT n.is_deleted
    AND (n.is_public)
  ORDER BY n.read_at NULLS FIRST, n.id
  LIMIT 20
) n
JOIN owners o ON o.id = n.owner_id
ORDER BY n.read_at NULLS FIRST, n.id`);
});

test("a first page whose rows are joined in another way selects its keys first", () => {
  const text = NOTES.replace("/* @join */", "/* @rows */ shown_notes n\n/* @join */");
  expect(statementOf("firstNotesByReadAtAsc", text)).toContain(
    ") page\nJOIN shown_notes n ON n.id = page.id\n",
  );
});

test("a query for one row has the columns of the list, and the filters that it names", () => {
  expect(statementOf("findNote")).toBe(`SELECT n.id, o.name
FROM notes n
JOIN owners o ON o.id = n.owner_id
WHERE NOT n.is_deleted
  AND (n.owner_id = :ownerId OR :ownerId IS NULL)
  AND (n.is_public OR :ownerId IS NOT NULL)
  AND n.id = :id!`);
});

test("an OR in the condition of a list or of one row does not switch the other conditions off", () => {
  const text = NOTES.replace("NOT n.is_deleted", "n.is_new OR n.is_kept").replace(
    "= :id!;",
    "= :id! OR n.code = :id!;",
  );
  expect(statementOf("countNotes", text)).toContain("WHERE (n.is_new OR n.is_kept)\n  AND (");
  expect(statementOf("findNote", text)).toContain("WHERE (n.is_new OR n.is_kept)\n  AND (");
  expect(statementOf("findNote", text)).toEndWith("\n  AND (n.id = :id! OR n.code = :id!)");
});

test("an unpaged list has no count, and a list with one sort has no parameter for it", () => {
  const list = listOf(`/* @list notes from notes n by id unpaged */
/* @columns */ n.id
/* @sort createdAt */ n.created_at;`);
  expect(sqlOf(list)).toBe(`/* @name listNotes */
SELECT n.id
FROM notes n
ORDER BY
  CASE WHEN :descending!::boolean THEN n.created_at END DESC,
  CASE WHEN NOT :descending!::boolean THEN n.created_at END,
  CASE WHEN :descending!::boolean THEN n.id END DESC,
  CASE WHEN NOT :descending!::boolean THEN n.id END;
`);
});

test("a list is declared with its filters, totals and first pages, which are not exported", () => {
  const types = `export interface IListNotesParams {
  limit: NumberOrString;
  ownerId?: string | null | void;
  reader?: string | null | void;
  sort: string;
}
`;
  const queries = ["listNotes", "totalNotesOfOwnerId", "firstNotesByReadAtAsc"]
    .map((name) => `export const ${name} = new PreparedQuery(${name}IR);\n`)
    .join("");
  expect(declareList(types + queries, listOf(NOTES))).toBe(`import type { List } from "#src/core/api/list";
export interface IListNotesParams {
  limit: NumberOrString;
  ownerId: string | null;
  reader?: string | null | void;
  sort: "createdAt" | "readAt";
}
export const listNotes = new PreparedQuery(listNotesIR);
const totalNotesOfOwnerId = new PreparedQuery(totalNotesOfOwnerIdIR);
const firstNotesByReadAtAsc = new PreparedQuery(firstNotesByReadAtAscIR);

export const notes: List<IListNotesParams, IListNotesResult> = {
  filters: ["ownerId","text","words"],
  page: listNotes,
  count: countNotes,
  totals: [
    { filters: ["ownerId"], query: totalNotesOfOwnerId },
  ],
  firstPages: [
    { filters: ["ownerId"], sort: "createdAt", descending: true, hasTotal: true, query: firstNotesOfOwnerIdByCreatedAtDesc },
    { filters: [], sort: "readAt", descending: false, hasTotal: false, query: firstNotesByReadAtAsc },
  ],
};
`);
});

test("a malformed list is an error that names the mark", () => {
  for (const [from, to, message] of [
    ["@columns", "@colums", "Unknown mark: @colums"],
    ["/* @columns */ n.id, o.name\n", "", "has no @columns"],
    ["from notes n by id", "of notes", "Cannot be read: @list notes of notes"],
    ["by readAt asc", "by readAt", "Cannot be read: @first by readAt"],
    ["@first by readAt asc", "@first by title asc", "has no sort title"],
    ["@find findNote if ownerId", "@find findNote if owner", "has no filter owner"],
    ["n.id = :id!;", "n.id = :id!", "No line ends this list"],
  ] as const)
    expect(() => listOf(NOTES.replace(from, to))).toThrow(message);
});

test("a query includes fragments with its arguments, and fragments include others", () => {
  const { fragments, rest } = takeFragments(`/* @fragment live(record) */
NOT {record}.is_deleted;

/* @fragment owned(record, owner) */
{record}.owner_id = {owner} AND @live({record});

/* @name listNotes */
SELECT n.id FROM notes n WHERE @owned(n, :ownerId) AND n.ids <@ (:ids);
`);
  expect(includeFragments(rest, fragments).trim()).toBe(`/* @name listNotes */
SELECT n.id FROM notes n WHERE (n.owner_id = :ownerId AND (NOT n.is_deleted)) AND n.ids <@ (:ids);`);
  expect(() => includeFragments("@owned(n)", fragments)).toThrow("no fragment for @owned(n)");
  expect(() => includeFragments("@unknown(n)", fragments)).toThrow("no fragment for @unknown(n)");
});
