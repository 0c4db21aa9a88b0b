import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { developmentApi } from "../../src/app/api.ts";
import { explorer } from "../../src/core/api/explorer.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { buildClient, packClient } from "../../src/dev/client/build.ts";
import { clientTypes, generatedOfDocument } from "../../src/dev/client/types.ts";
import { outdated } from "../../src/dev/generated.ts";
import { namesOfProduct } from "../support/product-names.ts";

/* The client as a package: its size and its types. */

const ROOT = join(import.meta.dir, "../..");
/** The limits that the package's README states: minified and gzipped by an application's bundler. */
const MAX_BYTES = 8_400;
const MAX_BYTES_OF_CEREMONIES = 4_096;
const MAX_BYTES_OF_HOOKS = 1_300;
const MAX_BYTES_OF_MACHINE = 4_096;
const MAX_BYTES_OF_SETUP = 3_072;
const MAX_BYTES_OF_WEBHOOKS = 2_048;
const MAX_BYTES_OF_SERVER = 5_120;
const NAME = "multi-organization-service-client";
let project = "";
const modules = () => join(project, "node_modules");

beforeAll(async () => {
  await mkdir(join(ROOT, ".data"), { recursive: true });
  project = await mkdtemp(join(ROOT, ".data/client-package-"));
  await mkdir(join(modules(), "@tanstack"), { recursive: true });
  for (const peer of [
    "hono",
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

/** Compiles a program in a project that has only the package and its peers; returns the compiler's output. */
async function compile(program: string, file = "program.ts", flags: string[] = []): Promise<string> {
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
  const tsc = Bun.spawn([join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project, ...flags], {
    stdout: "pipe",
  });
  return await new Response(tsc.stdout).text();
}

/** A product's types of notification. */
const OF_PRODUCT = [...namesOfProduct("notifications")]
  .map((type) => `case "${type}": return "";\n    `)
  .join("");

const PROGRAM = `
import { createClient, settle, type ApiErrorOf, type Schemas } from "${NAME}";
import { apiQueryOptions, useApiMutation, useApiQuery } from "${NAME}/react";
import { QueryClient, useSuspenseQuery } from "@tanstack/react-query";

const client = createClient({ baseUrl: "https://api.example.com" });

export function textOf(notification: Schemas["Notification"]): string {
  switch (notification.type) {
    case "WELCOME": return "Welcome";
    case "ROLES_CHANGED": return notification.data.added.map(({ roleName }) => roleName).join();
    case "INVITATION_ACCEPTED": return notification.data.email;
    case "PASSWORD_CHANGED": return notification.data.via;
    case "TWO_FACTOR_ENABLED": case "TWO_FACTOR_DISABLED": return notification.data.via;
    case "TWO_FACTOR_RECOVERY_CODE_USED": return String(notification.data.remaining);
    case "EMAIL_CHANGE_REQUESTED": case "EMAIL_CHANGED": return notification.data.to;
    case "NEW_SIGN_IN": return notification.data.method;
    case "SIGN_ON_ANNOUNCED": return notification.data.enforceFrom;
    case "BREAK_GLASS_USED": return notification.data.email;
    case "CONNECTION_FAILING": case "CONNECTION_SECRET_EXPIRING": return notification.data.connectionId;
    case "SIGN_ON_SETUP_FINISHED": return notification.data.email;
    case "JOIN_REQUESTED": return String(notification.data.count);
    case "BREAK_GLASS_UNUSABLE": case "JOIN_APPROVED": return notification.data.organizationId;
    case "DOMAIN_MISSING": case "DOMAIN_LAPSED": return notification.data.domain;
    case "PASSKEY_BLOCKED": return notification.data.name;
    case "SIGN_IN_METHOD_ADDED": case "SIGN_IN_METHOD_REMOVED": return notification.data.provider;
    case "HELPDESK_TICKET_CREATED": return notification.data.category;
    case "HELPDESK_REPORTER_REPLIED": case "HELPDESK_STAFF_REPLIED": return notification.data.subject;
    case "HELPDESK_STATUS_CHANGED": return notification.data.status;
    case "API_KEY_EXPIRING": case "API_KEY_REPORTED": return notification.data.start;
    case "WEBHOOK_ENDPOINT_FAILING": case "WEBHOOK_ENDPOINT_DISABLED": return notification.data.host;
    case "CONNECTED_APP_APPROVED": case "CONNECTED_APP_TOKEN_REUSED": return String(notification.data.clientHost);
    case "CONNECTED_APP_REVOKED": return notification.data.clientName;
    case "TEST": return notification.data.sentAt;
    ${OF_PRODUCT}default: return notification satisfies never;
  }
}

export function sentenceOf(error: ApiErrorOf<"POST /api/todos">): string {
  switch (error.code) {
    case "PLAN_LIMIT_REACHED": return \`\${error.details.used} of \${error.details.max}\`;
    case "VALIDATION_FAILED": return Object.values(error.fields).flat().join();
    case "FORBIDDEN": case "ORGANIZATION_REQUIRED": case "ORGANIZATION_OVERRIDE_FORBIDDEN": case "NOT_FOUND": case "TWO_FACTOR_REQUIRED":
    case "UNAUTHENTICATED": case "TOO_MANY_REQUESTS": case "MALFORMED_JSON": case "REQUEST_TIMEOUT": case "PAYLOAD_TOO_LARGE":
    case "UNSUPPORTED_MEDIA_TYPE": case "INTERNAL_ERROR": case "SERVICE_UNAVAILABLE": return "No";
    case "API_KEY_NOT_ALLOWED": case "IP_NOT_ALLOWED": case "ORGANIZATION_SUSPENDED": return "No key";
    case "INSUFFICIENT_SCOPE": return "Not granted to the app";
    case "IDEMPOTENCY_KEY_IN_USE": case "IDEMPOTENCY_KEY_REUSED": return "Again";
    default: return error satisfies never;
  }
}

export async function use() {
  const todo = await client.request("POST /api/todos", { body: { title: "x" } });
  todo.completed satisfies boolean;
  (await client.request("DELETE /api/todos/{id}", { path: { id: "x" } })) satisfies undefined;
  (await client.request("GET /api/support/attachments/{id}", { path: { id: "x" } })) satisfies Blob;
  const signedIn = await settle(client.signIn({ email: "x", password: "y" }));
  if (signedIn.ok) signedIn.data.status satisfies "signed-in" | "two-factor";
  else if (signedIn.error.code === "INVALID_CREDENTIALS") signedIn.error.status satisfies 401;
  // @ts-expect-error a code that a sign-in never has
  else if (signedIn.error.code === "PLAN_LIMIT_REACHED") return;
  if (signedIn.ok && signedIn.data.status === "two-factor" && signedIn.data.methods.includes("passkey"))
    await settle(client.passkeys.verifyTwoFactor({ challengeToken: signedIn.data.challengeToken }));
  const added = await settle(client.passkeys.register({ name: "Laptop" }));
  if (added.ok) added.data.passkey.backedUp satisfies boolean;
  else if (added.error.code === "REAUTHENTICATION_REQUIRED") added.error.details.methods satisfies string[];
  createClient({ baseUrl: "", onReauthenticate: async ({ methods }) => methods.includes("passkey") });
  await settle(client.verifyTwoFactor({ challengeToken: "x", code: "y" }));
  await settle(client.switchOrganization("x"));
  await settle(client.signOut());
  await settle(client.refresh());
  useApiQuery("GET /api/todos", {}, { select: ({ total }) => total * 2 }).data satisfies number | undefined;
  useApiMutation("POST /api/todos", {
    onMutate: ({ body }) => ({ before: body.title }),
    onError: (_error, _input, context) => context?.before satisfies string | undefined,
  });
  useSuspenseQuery(apiQueryOptions(client, "GET /api/profile")).data.email satisfies string;
  new QueryClient().getQueryData(apiQueryOptions(client, "GET /api/todos").queryKey)?.total satisfies number | undefined;
  // @ts-expect-error a redirect is not requested
  await client.request("GET /api/auth/oidc/{provider}", { path: { provider: "google" } });
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
  // @ts-expect-error not a list
  client.pages("GET /api/profile");
  // @ts-expect-error no upload endpoint
  await client.upload("POST /api/todos", { form: {} });
  // @ts-expect-error a code that this endpoint never has
  if (!outcome.ok && outcome.error.code === "PLAN_LIMIT_REACHED") return;
}
`;

const MACHINE_PROGRAM = `
import type { MachineEndpoint } from "${NAME}/machine";
export async function use() {
  (await machine.request("GET /api/support/attachments/{id}", { path: { id: "x" }, retries: 0 })) satisfies Blob;
  await machine.request("POST /api/roles", { body: { name: "x", permissions: [] }, idempotencyKey: "x" });
  const outcome = await machine.settle(machine.request("GET /api/units"));
  if (!outcome.ok && outcome.error.code === "IP_NOT_ALLOWED") outcome.error.status satisfies 403;
  "PATCH /api/todos/{id}" satisfies MachineEndpoint;
  // @ts-expect-error no key may call it
  await machine.request("GET /api/profile");
  // @ts-expect-error no key may call it
  await machine.request("POST /api/todos", { body: { title: "x" } });
  // @ts-expect-error no key may call it
  machine.rows("GET /api/todos");
  // @ts-expect-error no key may call it
  machine.pages("GET /api/organizations");
  // @ts-expect-error no key may call it
  await machine.upload("POST /api/support/tickets", { form: { subject: "x", category: "BUG" } });
  // @ts-expect-error a GET takes no key
  await machine.request("GET /api/units", { idempotencyKey: "x" });
  // @ts-expect-error there is no session
  machine.signIn;
}
`;

test("the browser client, its hooks, the machine client, `verifyWebhook` and a product's client stay below their size limits", async () => {
  const zipped = async (file: string) => {
    const { outputs } = await Bun.build({
      entrypoints: [join(modules(), NAME, file)],
      // The modules that `index` loads on demand are chunks of their own, too, in the bundle of an application.
      external: ["react", "@tanstack/react-query", "*/ceremonies.js", "*/upload-progress.js"],
      minify: true,
    });
    const code = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? new ArrayBuffer(0));
    return Bun.gzipSync(code, { level: 9 }).length;
  };
  const size = await zipped("index.js");
  expect(size).toBeGreaterThan(MAX_BYTES - 500);
  expect(size).toBeLessThanOrEqual(MAX_BYTES);
  expect(await zipped("ceremonies.js")).toBeLessThanOrEqual(MAX_BYTES_OF_CEREMONIES);
  expect((await zipped("react.js")) - size).toBeLessThanOrEqual(MAX_BYTES_OF_HOOKS);
  expect(await zipped("machine.js")).toBeLessThanOrEqual(MAX_BYTES_OF_MACHINE);
  expect(await zipped("setup.js")).toBeLessThanOrEqual(MAX_BYTES_OF_SETUP);
  expect(await zipped("webhooks.js")).toBeLessThanOrEqual(MAX_BYTES_OF_WEBHOOKS);
  expect(await zipped("server.js")).toBeLessThanOrEqual(MAX_BYTES_OF_SERVER);
});

test("only the hooks import the package's peers; passkeys need no further package", async () => {
  const imports = async (file: string) => {
    const text = await Bun.file(join(modules(), NAME, file)).text();
    const names = [...text.matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, name = ""]) => name);
    return [...new Set(names.filter((name) => !name.startsWith("./")))].sort();
  };
  expect(await imports("index.js")).toEqual([]);
  for (const file of ["machine.js", "setup.js", "events.js", "webhooks.js", "server.js", "ceremonies.js"])
    expect(await imports(file)).toEqual([]);
  expect(await Bun.file(join(modules(), NAME, "NOTICES")).text()).toContain("Matthew Miller");
  const schema = await Bun.file(join(modules(), NAME, "product.schema.json")).json();
  expect(schema.required).toEqual(["name", "url", "permissions"]);
  expect(await imports("react.js")).toEqual(["@tanstack/react-query", "react"]);
});

test("the public types of the package contain no `any`", async () => {
  const files = [...new Bun.Glob("*.d.ts").scanSync(join(modules(), NAME))];
  const texts = await Promise.all(
    files.map(async (file) => [file, await Bun.file(join(modules(), NAME, file)).text()] as const),
  );
  // `any` is also the name of a policy.
  const uncommented = texts.map(
    ([file, text]) => [file, text.replace(/\/\*[\s\S]*?\*\/|"\w*"/g, "")] as const,
  );
  expect(uncommented.filter(([, text]) => /\bany\b/.test(text)).map(([file]) => file)).toEqual([]);
});

test("every public function documents what it throws", async () => {
  const text = await Promise.all(
    [
      "index.ts",
      "client.ts",
      "react.ts",
      "errors.ts",
      "settle.ts",
      "events.ts",
      "webhooks.ts",
      "server.ts",
      "notifications.ts",
      "machine.ts",
      "setup.ts",
      "passkeys.ts",
    ].map((file) => Bun.file(join(ROOT, "src/client", file)).text()),
  );
  const types = await Promise.all(
    ["client.ts", "sign-in-methods.ts", "lists.ts"].map((file) =>
      Bun.file(join(ROOT, "src/client", file)).text(),
    ),
  );
  const members = types
    .flatMap((source) => [
      ...source.matchAll(/export type (?:Client|SignInMethods|ListMethods)\b[\s\S]*?\n(?=\n\S|$)/g),
    ])
    .flatMap(([type]) => [
      ...type.matchAll(/((?: {2,6}\/\*\*[\s\S]*?\*\/\n)?) {2,6}readonly (\w+): (?:<|\()/g),
    ]);
  expect(members.length).toBeGreaterThan(15);
  expect(members.filter(([, comment = ""]) => !/throws/i.test(comment)).map(([, , name]) => name)).toEqual(
    [],
  );
  const functions = [text[0], ...text.slice(2, 8)].flatMap((source = "") => [
    ...source.matchAll(/((?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?)export (?:async )?(?:function|const) (\w+)/g),
  ]);
  expect(functions.length).toBeGreaterThan(8);
  expect(functions.filter(([, comment = ""]) => !/throws/i.test(comment)).map(([, , name]) => name)).toEqual(
    [],
  );
});

test("the machine client's types have exactly the endpoints that API keys may call", async () => {
  const document = await Bun.file(join(ROOT, "docs/clients.md")).text();
  const [example = ""] = [...document.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes(`${NAME}/machine`));
  expect(example.trim().split("\n").length).toBeLessThanOrEqual(10);
  // The part of `@types/node` that the program needs.
  const node = "declare const process: { env: Record<string, string | undefined> };";
  expect(await compile(`${example}\n${node}\n${MACHINE_PROGRAM}`, "machine.ts")).toBe("");
});

test.each(["agents", "clients"])("the examples of a connected app in docs/%s.md compile", async (name) => {
  const document = await Bun.file(join(ROOT, `docs/${name}.md`)).text();
  const examples = [...document.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes("token: () =>"));
  expect(examples).toHaveLength(1);
  for (const example of examples) expect(await compile(example, "app.ts")).toBe("");
});

const EVENTS_PROGRAM = `
import { events } from "${NAME}/events";
import type { createClient } from "${NAME}";
import type { createMachineClient } from "${NAME}/machine";
import { verifyWebhook } from "${NAME}/webhooks";
declare const client: ReturnType<typeof createClient>;
declare const machine: ReturnType<typeof createMachineClient>;
for await (const { event } of events(client, { types: ["unit.created"] })) event.organizationId satisfies string;
for await (const { event, cursor } of events(machine, { after: "latest" })) {
  cursor satisfies string | null;
  if (event.type === "unit.created") event satisfies { type: "unit.created"; data: { object: object } };
  // @ts-expect-error the list of events has no tests
  if (event.type === "webhook.test") break;
}
// @ts-expect-error no such type
machine.events({ types: ["unit.painted"] });
const event = await verifyWebhook({ secrets: [""], headers: { "webhook-id": "x" }, body: new Uint8Array() });
if (event.type === "webhook.test") event satisfies { type: "webhook.test" };
// @ts-expect-error no such type
if (event.type === "unit.painted") throw event;
`;

test("the example for events and webhooks compiles, and events are typed by `type`", async () => {
  const document = await Bun.file(join(ROOT, "docs/clients.md")).text();
  const [example = ""] = [...document.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes(`${NAME}/webhooks`));
  expect(await compile(example, "example.ts")).toBe("");
  expect(await compile(EVENTS_PROGRAM, "events.ts")).toBe("");
});

const PRODUCT_PROGRAM = `
import { createProduct } from "${NAME}/server";
const manifest = {
  permissions: { "Inspections.Read": { scope: "unit" }, "Inspections.Create": { scope: "unit" } },
  limits: { inspections: { per: "month" } },
  features: { inspectionReports: {} },
  audit: { INSPECTION_DELETED: { target: "inspection" } },
  events: { "inspection.completed": {} },
} as const;
const product = createProduct({ baseUrl: "https://api.example.com", key: "mosp_", manifest });
const caller = await product.verify("token");
// @ts-expect-error it may be nobody
caller.can("Inspections.Read");
if (!caller.active) caller.reason satisfies "EXPIRED" | string;
else {
  caller.can("Inspections.Read", null) satisfies boolean;
  for (const unit of caller.reach("Inspections.Read") ?? []) caller.can("Inspections.Create", unit);
  // @ts-expect-error no such permission
  caller.can("Inspections.Paint");
  // @ts-expect-error no such permission
  caller.reach("Todos.Read");
  // @ts-expect-error a unit that may be undefined is a mistake
  caller.can("Inspections.Read", undefined);
  // @ts-expect-error a token does not have the name
  caller.actor.name;
}
const checked = await product.check({ organizationId: "x", userId: "y" }, { fresh: true });
if (checked.active) {
  checked.actor.name satisfies string;
  checked.organization.features satisfies readonly "inspectionReports"[];
  checked.can("Inspections.Read");
  // @ts-expect-error no such permission
  checked.can("Inspections.Paint");
}
// @ts-expect-error a person or a token
await product.check({ organizationId: "x" });
const call = { organizationId: "x", actor: null };
const key = { idempotencyKey: "x" };
const { usage } = await product.changes({
  ...call,
  usage: [{ limit: "inspections", id: "4711", amount: 1 }],
  audit: [{ action: "INSPECTION_DELETED", targetId: await product.id("inspection", 4711), reach: { unitId: "x" } }],
  events: [{ type: "inspection.completed", objectId: "x", object: { id: 4711 } }],
}, key);
usage[0]?.limit satisfies "inspections" | undefined;
// @ts-expect-error no such limit
await product.changes({ ...call, usage: [{ limit: "todos", id: "4711", amount: 1 }] }, key);
// @ts-expect-error no such action
await product.changes({ ...call, audit: [{ action: "INSPECTION_PAINTED", targetId: "x" }] }, key);
// @ts-expect-error no such type
await product.changes({ ...call, events: [{ type: "inspection.painted", objectId: "x", object: {} }] }, key);
// @ts-expect-error the manifest has no notifications
await product.changes({ ...call, notifications: [{ type: "INSPECTION_ASSIGNED", userIds: [] }] }, key);
// @ts-expect-error without a key, it could take effect twice
await product.changes(call);
for await (const entry of product.feed({ after: null, save: (cursor) => cursor satisfies string }))
  if (entry.type === "user.deleted") entry.object.id satisfies unknown;
  // @ts-expect-error no such type
  else if (entry.type === "todo.created") break;
(await product.request("GET /api/units", { headers: { "X-Organization-Id": "x" } })).data[0]?.name satisfies string | undefined;
const [used] = await product.request("GET /api/product/organizations/{id}/usage", { path: { id: "x" } });
used?.limit satisfies "inspections" | undefined;
// @ts-expect-error no product may call it
await product.request("POST /api/units", { body: { name: "x", parentId: null } });
// Without a manifest, names are any strings.
const untyped = createProduct({ baseUrl: "https://api.example.com", key: "mosp_" });
const someone = await untyped.verify("token");
if (someone.active) someone.can("Inspections.Paint");
await untyped.changes({ ...call, notifications: [{ type: "ANY", userIds: [] }] }, key);
`;

test("a product's client is typed by its manifest: a name that the manifest does not have does not compile", async () => {
  expect(await compile(PRODUCT_PROGRAM, "product.ts")).toBe("");
});

test("the example of a product in the package's README compiles with its manifest", async () => {
  const guide = await Bun.file(join(modules(), NAME, "README.md")).text();
  const [example = ""] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes(`${NAME}/server`));
  const own = `declare const productKey: string;
declare const insertPending: (organizationId: string, unitId: string) => Promise<string>;
declare const activate: (id: string) => Promise<void>;
declare const remove: (id: string) => Promise<void>;
declare const loadCursor: () => Promise<string | null>;
declare const saveCursor: (cursor: string) => Promise<void>;
declare const readLists: () => Promise<void>;
declare const erase: (userId: unknown) => Promise<void>;
`;
  const manifest = await Bun.file(join(ROOT, "examples/inspections/product.json")).text();
  await Bun.write(join(project, "product.json"), manifest);
  expect(await compile(example + own, "product-example.ts", ["--resolveJsonModule"])).toBe("");
  const renamed = example.replace('"Inspections.Create"', '"Inspections.Paint"');
  expect(await compile(renamed + own, "product-example.ts", ["--resolveJsonModule"])).toContain(
    "Inspections.Paint",
  );
});

test("the generated types of the client match the OpenAPI document", async () => {
  expect(await outdated(await generatedOfDocument())).toEqual([]);
});

test("a program that handles every notification type and error code compiles, and one with a mistake does not", async () => {
  expect(await compile(PROGRAM)).toBe("");
});

test("the example application of the package's README compiles, and is shorter than 60 lines", async () => {
  const guide = await Bun.file(join(modules(), NAME, "README.md")).text();
  const [application = "", update = ""] = [...guide.matchAll(/```tsx\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  );
  expect(application.split("\n").length).toBeLessThan(60);
  expect(await compile(application, "application.tsx")).toBe("");
  expect(update).toContain("onMutate");
  expect(await compile(update, "update.tsx")).toBe("");
});

test("the package's README has no links into the repository", async () => {
  const guide = await Bun.file(join(modules(), NAME, "README.md")).text();
  const links = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(links.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
  expect(guide).not.toMatch(/this repository|bun run client|\(\d+\.\d+\)/);
});

test('the hooks begin with "use client"', async () => {
  expect(await Bun.file(join(modules(), NAME, "react.js")).text()).toStartWith('"use client"');
});

test("npm installs the archive, and a program with hono/client compiles with few type instantiations", async () => {
  const archive = await packClient(join(modules(), NAME), join(project, "client.tgz"));
  const served = await explorer({ clientPackage: archive }).request("/client.tgz");
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "application/gzip"]);
  expect((await explorer({ clientPackage: join(project, "none.tgz") }).request("/client.tgz")).status).toBe(
    404,
  );
  const unpacked = join(project, "unpacked");
  await new Bun.Archive(await served.bytes()).extract(unpacked);
  const manifest = await Bun.file(join(unpacked, "package/package.json")).json();
  for (const entry of Object.values<{ types?: string; default?: string }>(manifest.exports))
    for (const file of [entry.types, entry.default])
      if (file !== undefined) expect(await Bun.file(join(unpacked, "package", file)).exists()).toBe(true);
  const guide = await Bun.file(join(modules(), NAME, "README.md")).text();
  const [example = ""] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code = ""]) => code)
    .filter((code) => code.includes("hono/client"));
  const program = `import { createClient } from "${NAME}";
const client = createClient({ baseUrl: "https://api.example.com" });
${example}
const list = await api.api.todos.$get({ query: { page: "2", sort: "title" } });
if (list.status === 200) (await list.json()).data[0]?.title satisfies string | undefined;
const changed = await api.api.todos[":id"].$patch({ param: { id: "x" }, json: { completed: true } });
if (changed.status === 404) (await changed.json()).code satisfies "NOT_FOUND";
(await api.api.profile.$get()).status satisfies number;
// @ts-expect-error no such field
await api.api.todos.$post({ json: { title: "x", color: "red" } });
// @ts-expect-error no such route
await api.api.todo.$get();
// @ts-expect-error no such sort
await api.api.todos.$get({ query: { sort: "color" } });
`;
  const output = await compile(program, "program-of-hono.ts", ["--extendedDiagnostics"]);
  expect(output).not.toContain("error");
  // The number of type instantiations was 3,700,000 with the types of the routes themselves.
  expect(Number(/Instantiations:\s+(\d+)/.exec(output)?.[1])).toBeLessThan(800_000);
});

test("a new notification type or error code breaks the build of a program that handles all of them", async () => {
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
});
