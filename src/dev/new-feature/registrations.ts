import { join } from "node:path";
import { type Names, withNames } from "./names.ts";

/** Inserts lines before the only line of a file that starts with `before` (ignoring indentation). */
type Registration = { file: string; before: string; lines: string };

/** The registrations of a new resource. Each new line is inserted before the corresponding line for todos. */
const REGISTRATIONS: Registration[] = [
  {
    file: "src/app/features.ts",
    before: "import { todos }",
    lines: 'import { samples } from "../features/samples/feature.ts";',
  },
  { file: "src/app/features.ts", before: "todos,", lines: "samples," },
  {
    file: "src/web/router.tsx",
    before: "import { todoRoutes }",
    lines: 'import { sampleRoutes } from "./samples/routes.ts";',
  },
  { file: "src/web/router.tsx", before: "...todoRoutes,", lines: "...sampleRoutes," },
  {
    file: "src/web/shell/menu.ts",
    before: "import { todoMenu }",
    lines: 'import { sampleMenu } from "../samples/menu.ts";',
  },
  { file: "src/web/shell/menu.ts", before: "...todoMenu,", lines: "...sampleMenu," },
  { file: "src/web/lib/selected-organization.ts", before: '"/api/todos"', lines: '"/api/samples",' },
  {
    file: "src/web/texts/en/permissions.ts",
    before: '"Todos.Read":',
    lines: `"Samples.Read": "See their own samples",
"Samples.ReadAny": "See the samples of everybody",
"Samples.Create": "Create samples",
"Samples.Update": "Change their own samples",
"Samples.UpdateAny": "Change the samples of everybody",
"Samples.Delete": "Delete their own samples",
"Samples.DeleteAny": "Delete the samples of everybody",`,
  },
  {
    file: "src/web/texts/el/permissions.ts",
    before: '"Todos.Read":',
    lines: `"Samples.Read": "Προβολή των δικών τους εγγραφών (Samples)",
"Samples.ReadAny": "Προβολή των εγγραφών όλων (Samples)",
"Samples.Create": "Δημιουργία εγγραφών (Samples)",
"Samples.Update": "Αλλαγή των δικών τους εγγραφών (Samples)",
"Samples.UpdateAny": "Αλλαγή των εγγραφών όλων (Samples)",
"Samples.Delete": "Διαγραφή των δικών τους εγγραφών (Samples)",
"Samples.DeleteAny": "Διαγραφή των εγγραφών όλων (Samples)",`,
  },
  {
    file: "src/web/texts/en/permissions.ts",
    before: "Todos:",
    lines: 'Samples: "Samples",',
  },
  {
    file: "src/web/texts/el/permissions.ts",
    before: "Todos:",
    lines: 'Samples: "Samples",',
  },
  {
    file: "test/architecture/matrix.test.ts",
    before: "const targetTicket =",
    lines: `const targetSample = async () =>
  exactlyOne(
    await t.sql<{ id: string }>(
      "INSERT INTO samples (organization_id, user_id, title) VALUES ($1, $2, 'Target') RETURNING id",
      [org.id, await target()],
    ),
  ).id;`,
  },
  {
    file: "test/architecture/matrix.test.ts",
    before: "listTodos: [",
    lines: `listSamples: [get("/api/samples"), "200 200 200 200 200 200 200 401"],
getSample: [get(async () => \`/api/samples/\${await targetSample()}\`), "200 200 200 200 404 404 404 401"],
createSample: [(who) => who.post("/api/samples", { title: "New" }, at(who)), "201 201 201 201 201 201 201 401"],
updateSample: [
  async (who) => who.patch(\`/api/samples/\${await targetSample()}\`, { title: "Changed" }, at(who)),
  "200 200 200 200 404 404 404 401",
],
deleteSample: [
  async (who) => who.delete(\`/api/samples/\${await targetSample()}\`, at(who)),
  "204 204 204 204 404 404 404 401",
],
`,
  },
  {
    file: "test/architecture/matrix.test.ts",
    before: '"createTodo",',
    lines: '"createSample", "updateSample", "deleteSample",',
  },
  {
    file: "test/features/roles/roles.test.ts",
    before: 'Todos: ["Read"',
    lines: 'Samples: ["Read", "ReadAny", "Create", "Update", "UpdateAny", "Delete", "DeleteAny"],',
  },
  {
    file: "test/features/roles/roles.test.ts",
    before: '"Todos.Create",',
    lines: '"Samples.Create", "Samples.Delete", "Samples.Read", "Samples.Update",',
  },
  {
    file: "test/core/api/empty-changes.test.ts",
    before: '"/api/todos/": async',
    lines: `"/api/samples/": async () =>
  expectStatus(await member.post("/api/samples", { title: "One" }), 201).body.id,`,
  },
];

/**
 * Registers a resource, and returns the changed files. The formatter corrects the indentation later.
 * @throws Error, before any file is written, if a line is not found exactly once
 */
export async function register(root: string, names: Names): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const { file, before, lines } of REGISTRATIONS) {
    const text = texts.get(file) ?? (await Bun.file(join(root, file)).text());
    const all = text.split("\n");
    const [at = -1, ...others] = all.flatMap((line, index) =>
      line.trimStart().startsWith(before) ? [index] : [],
    );
    if (at < 0 || others.length > 0) throw new Error(`${file} must have exactly one line with: ${before}`);
    all.splice(at, 0, withNames(lines, names));
    texts.set(file, all.join("\n"));
  }
  for (const [file, text] of texts) await Bun.write(join(root, file), text);
  return [...texts.keys()];
}
