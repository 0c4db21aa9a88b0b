import { afterAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEdge } from "../../src/edge.ts";
import { startService } from "../support/service.ts";

/* The entry for platforms without Bun, called as those call it. */
const t = await startService();
const edge = await startEdge({ ...t.environment, STORAGE_DIR: await mkdtemp(join(tmpdir(), "edge-")) });
afterAll(() => edge.stop());

type Sent = { token?: string; body?: unknown; cookie?: string };

async function send(method: string, path: string, { token, body, cookie }: Sent = {}) {
  const headers: Record<string, string> = { origin: "http://app.test" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (cookie !== undefined) headers.cookie = cookie;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await edge.fetch(
    new Request(`http://app.test${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? null : JSON.parse(text),
    cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "",
  };
}

test("is ready once the queue is", async () => {
  const { status, body } = await send("GET", "/api/health/ready");
  expect([status, body.status]).toEqual([200, "ok"]);
});

test("signs in, refreshes, reads and writes beside another instance", async () => {
  const { account, email } = await t.person();
  const signedIn = await send("POST", "/api/auth/login", { body: account });
  expect(signedIn.status).toBe(200);
  const refreshed = await send("POST", "/api/auth/refresh", { cookie: signedIn.cookie });
  expect(refreshed.status).toBe(200);

  const token: string = refreshed.body.accessToken;
  expect((await send("GET", "/api/profile", { token })).body).toMatchObject({ email });
  const created = await send("POST", "/api/auth/organizations", { token, body: { name: "Edge" } });
  expect(created.status).toBe(201);
  const listed = await send("GET", "/api/auth/organizations", { token });
  expect(JSON.stringify(listed.body)).toContain(created.body.id);
  expect((await send("GET", "/api/profile")).status).toBe(401);
});

test("sends the mail of a registration as a job, which another instance does", async () => {
  const email = `person-${crypto.randomUUID()}@example.com`;
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  expect((await send("POST", "/api/auth/register", { body })).status).toBe(202);
  const { token } = await t.linkTo(email, "/verify-email");
  expect((await send("POST", "/api/auth/verify-email", { body: { token } })).status).toBe(204);
  expect((await send("POST", "/api/auth/login", { body: { email, password: body.password } })).status).toBe(
    200,
  );
});

test("loads nothing of Bun, and no native module", async () => {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../src/edge.ts")],
    target: "node",
    packages: "external",
    splitting: true,
  });
  const [entry] = built.outputs;
  const code = (await entry?.text()) ?? "";
  expect(code).toContain('from "postgres"');
  expect(code).not.toMatch(/from "(bun|@node-rs\/argon2|nodemailer|@aws-sdk\/client-s3)"/);
});
