import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { developmentApi } from "../../src/app/api.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { buildClient } from "../../src/dev/client/build.ts";
import { clientTypes, TYPES_FILE } from "../../src/dev/client/types.ts";

/* The client as a package: what it weighs, and what its types say. */

const ROOT = join(import.meta.dir, "../..");
const MOST_BYTES = 12 * 1024;
const NAME = "multi-organization-service-client";
let project = "";
const modules = () => join(project, "node_modules");

beforeAll(async () => {
  await mkdir(join(ROOT, ".data"), { recursive: true });
  project = await mkdtemp(join(ROOT, ".data/client-package-"));
  await mkdir(join(modules(), "@tanstack"), { recursive: true });
  for (const peer of [
    "react",
    "react-dom",
    "@types",
    "@tanstack/react-query",
    "@tanstack/query-core",
    "csstype",
  ])
    await symlink(join(ROOT, "node_modules", peer), join(modules(), peer));
  await buildClient(join(modules(), NAME));
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** What the compiler says of a program in a project that has nothing but the package and its peers. */
async function compile(program: string, file = "program.ts"): Promise<string> {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    jsx: "react-jsx",
    types: [],
  };
  await Bun.write(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  await Bun.write(join(project, file), program);
  const tsc = Bun.spawn([join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project], { stdout: "pipe" });
  return await new Response(tsc.stdout).text();
}

const PROGRAM = `
import { createClient, settle, type ApiErrorOf, type Schemas } from "${NAME}";
import { useApiQuery } from "${NAME}/react";

const client = createClient({ baseUrl: "https://api.example.com" });

export function textOf(notification: Schemas["Notification"]): string {
  switch (notification.type) {
    case "WELCOME": return "Welcome";
    case "ROLES_CHANGED": return notification.data.added.map(({ roleName }) => roleName).join();
    case "INVITATION_ACCEPTED": return notification.data.email;
    case "PASSWORD_CHANGED": return notification.data.via;
    case "TWO_FACTOR_ENABLED": case "TWO_FACTOR_DISABLED": return notification.data.via;
    case "TWO_FACTOR_RECOVERY_CODE_USED": return String(notification.data.remaining);
    case "SIGN_IN_METHOD_ADDED": case "SIGN_IN_METHOD_REMOVED": return notification.data.provider;
    case "HELPDESK_TICKET_CREATED": return notification.data.category;
    case "HELPDESK_REPORTER_REPLIED": case "HELPDESK_STAFF_REPLIED": return notification.data.subject;
    case "HELPDESK_STATUS_CHANGED": return notification.data.status;
    case "TEST": return notification.data.sentAt;
    default: return notification satisfies never;
  }
}

export function sentenceOf(error: ApiErrorOf<"POST /api/todos">): string {
  switch (error.code) {
    case "PLAN_LIMIT_REACHED": return \`\${error.details.used} of \${error.details.max}\`;
    case "VALIDATION_FAILED": return Object.values(error.fields).flat().join();
    case "FORBIDDEN": case "ORGANIZATION_REQUIRED": case "ORGANIZATION_OVERRIDE_FORBIDDEN": case "NOT_FOUND": case "TWO_FACTOR_REQUIRED":
    case "UNAUTHENTICATED": case "MALFORMED_JSON": case "REQUEST_TIMEOUT": case "PAYLOAD_TOO_LARGE":
    case "UNSUPPORTED_MEDIA_TYPE": case "INTERNAL_ERROR": case "SERVICE_UNAVAILABLE": return "No";
    default: return error satisfies never;
  }
}

export async function use() {
  const todo = await client.request("POST /api/todos", { body: { title: "x" } });
  todo.completed satisfies boolean;
  (await client.request("DELETE /api/todos/{id}", { path: { id: "x" } })) satisfies undefined;
  (await client.request("GET /api/support/attachments/{id}", { path: { id: "x" } })) satisfies Blob;
  const outcome = await settle(client.request("GET /api/profile"));
  if (outcome.ok) outcome.data.email satisfies string;
  else if (outcome.error.code === "NETWORK_ERROR") outcome.error.name satisfies "ConnectionError";
  for await (const row of client.rows("GET /api/members", { query: { sort: "email" } })) row.userId satisfies string;
  await client.upload("POST /api/support/tickets", { form: { subject: "x", category: "BUG", images: [new Blob()] } });
  client.can("Todos.Read") satisfies boolean | "perhaps";
  useApiQuery("GET /api/todos", { query: { page: 2 } }).data?.total satisfies number | undefined;
  // @ts-expect-error no such endpoint
  await client.request("GET /api/todo");
  // @ts-expect-error the path has a parameter
  await client.request("GET /api/todos/{id}");
  // @ts-expect-error the title is a string
  await client.request("POST /api/todos", { body: { title: 1 } });
  // @ts-expect-error no such field
  await client.request("POST /api/todos", { body: { title: "x", color: "red" } });
  // @ts-expect-error no such sort
  await client.request("GET /api/todos", { query: { sort: "color" } });
  // @ts-expect-error no such permission
  client.can("Todos.Paint");
  // @ts-expect-error no list
  client.pages("GET /api/profile");
  // @ts-expect-error takes no form
  await client.upload("POST /api/todos", { form: {} });
  // @ts-expect-error a code that this endpoint never has
  if (!outcome.ok && outcome.error.code === "PLAN_LIMIT_REACHED") return;
}
`;

test("the client and its hooks stay below their size limits", async () => {
  const zipped = async (file: string) =>
    Bun.gzipSync(await Bun.file(join(modules(), NAME, file)).bytes()).length;
  expect(await zipped("index.js")).toBeLessThanOrEqual(MOST_BYTES);
  expect(await zipped("react.js")).toBeLessThanOrEqual(2048);
});

test("the package bundles no dependency, and only the hooks import its peers", async () => {
  const imports = async (file: string) => {
    const text = await Bun.file(join(modules(), NAME, file)).text();
    return [...text.matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, name = ""]) => name).sort();
  };
  expect(await imports("index.js")).toEqual([]);
  expect(await imports("react.js")).toEqual(["@tanstack/react-query", "react"]);
});

test("its public types have no `any`", async () => {
  const files = [...new Bun.Glob("*.d.ts").scanSync(join(modules(), NAME))];
  const texts = await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(modules(), NAME, file)).text()] as const),
  );
  const uncommented = texts.map(([file, text]) => [file, text.replace(/\/\*[\s\S]*?\*\//g, "")] as const);
  expect(uncommented.filter(([, text]) => /\bany\b/.test(text)).map(([file]) => file)).toEqual([]);
});

test("every public function documents what it throws", async () => {
  const text = await Promise.all(
    ["index.ts", "client.ts", "react.ts", "errors.ts", "settle.ts", "notifications.ts"].map((file) =>
      Bun.file(join(ROOT, "src/client", file)).text(),
    ),
  );
  const client = text[1] ?? "";
  const type = client.slice(
    client.indexOf("export type Client ="),
    client.indexOf("\n};\n", client.indexOf("export type Client =")),
  );
  const members = [...type.matchAll(/((?: {2,4}\/\*\*[\s\S]*?\*\/\n)?) {2,4}readonly (\w+): (?:<|\()/g)];
  expect(members.length).toBeGreaterThan(15);
  expect(members.filter(([, comment = ""]) => !/throws/i.test(comment)).map(([, , name]) => name)).toEqual(
    [],
  );
  const functions = [text[0], ...text.slice(2, 5)].flatMap((source = "") => [
    ...source.matchAll(/((?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?)export (?:async )?(?:function|const) (\w+)/g),
  ]);
  expect(functions.length).toBeGreaterThan(8);
  expect(functions.filter(([, comment = ""]) => !/throws/i.test(comment)).map(([, , name]) => name)).toEqual(
    [],
  );
});

test("the generated types match the document", async () => {
  expect(await Bun.file(TYPES_FILE).text()).toBe(await clientTypes());
});

test("a program that names every notification and every code compiles, and one with a mistake does not", async () => {
  expect(await compile(PROGRAM)).toBe("");
}, 120_000);

test("the guide's application compiles, and is a page long", async () => {
  const guide = await Bun.file(join(ROOT, "docs/clients.md")).text();
  const [, application = ""] = /```tsx\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(application.split("\n").length).toBeLessThan(60);
  expect(await compile(application, "application.tsx")).toBe("");
}, 120_000);

test("a new notification or code breaks the build of such a program", async () => {
  const document = structuredClone(openApiDocument(developmentApi)) as {
    components: { schemas: Record<string, object & { oneOf?: object[]; anyOf?: object[] }> };
  };
  const { schemas } = document.components;
  schemas.NewsNotification = {
    type: "object",
    properties: { type: { const: "NewsNotification" }, data: { type: "object" } },
    required: ["type", "data"],
  } as object;
  const notification = schemas.Notification;
  (notification?.oneOf ?? notification?.anyOf)?.push({ $ref: "#/components/schemas/NewsNotification" });
  const text = JSON.stringify(document).replaceAll('"PLAN_LIMIT_REACHED"', '"PLAN_EXCEEDED"');
  await Bun.write(join(modules(), NAME, "document.d.ts"), await clientTypes(JSON.parse(text)));
  const said = await compile(PROGRAM);
  expect(said).toContain("does not satisfy the expected type 'never'");
  expect(said).toContain("NewsNotification");
  expect(said).toContain("PLAN_EXCEEDED");
}, 120_000);
