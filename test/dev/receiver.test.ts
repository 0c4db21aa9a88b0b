import { afterAll, expect, test } from "bun:test";
import { readConfig } from "../../src/app/config.ts";
import { endpointSecrets } from "../../src/dev/endpoint-secrets.ts";
import { startReceiver } from "../../src/dev/receiver.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, startService } from "../support/service.ts";
import { createEndpoint, deliver, deliveriesOf, LOCAL, makeDue } from "../support/webhooks.ts";

const t = await startService(LOCAL);
const { config } = readConfig(t.environment);
if (config === null) throw new Error("The configuration of the test is invalid");
const receiver = startReceiver({ port: 0, secretsOf: endpointSecrets(t.databaseUrl, config) });
afterAll(() => receiver.stop());
const hook = `${receiver.webUrl}hook`;

type Shown = {
  id: string;
  signature: string;
  status: number;
  headers: Record<string, string>;
  payload: object;
};
const shown = async () => (await fetch(`${receiver.webUrl}api/webhooks`)).json() as Promise<Shown[]>;
const text = async (path: string) => (await fetch(receiver.webUrl + path)).text();

test("the receiver of development shows each webhook with headers and payload, and that its signature is valid", async () => {
  const { admin } = await createOrganization(t);
  await createEndpoint(admin, `${hook}/orders`);
  expectStatus(await admin.post("/api/todos", { title: "<b>Water</b>" }), 201);
  await deliver(t);
  const [webhook] = await shown();
  expect(webhook).toMatchObject({ path: "/hook/orders", signature: "valid", status: 200 });
  const payload = { type: "todo.created", data: { object: { title: "<b>Water</b>" } } };
  expect(webhook?.payload).toMatchObject(payload);
  expect(await (await fetch(`${receiver.webUrl}api/webhooks?type=todo.deleted`)).json()).toEqual([]);
  expect(await text("")).toContain("todo.created");
  const details = await text(`webhooks/${webhook?.id}`);
  expect(details).toContain(webhook?.headers["webhook-signature"] ?? "");
  expect(details).toContain("&lt;b&gt;Water&lt;/b&gt;");
});

test("the receiver of development says why a signature is not valid, and accepts the previous secret in an overlap", async () => {
  const { admin } = await createOrganization(t);
  const { path } = await createEndpoint(admin, hook);
  expectStatus(await admin.post(`${path}/rotate-secret`, {}), 200);
  expectStatus(await admin.post("/api/todos", { title: "Rotated" }), 201);
  await deliver(t);
  const { headers = {}, payload = {}, signature } = (await shown()).at(-1) ?? {};
  expect(signature).toBe("valid");
  await fetch(hook, { method: "POST", headers, body: `${JSON.stringify(payload)} ` });
  await fetch(hook, { method: "POST", body: "no event" });
  const refusals = (await shown()).slice(-2).map((one) => one.signature);
  expect(refusals).toEqual(["No matching signature found", "Missing required headers"]);
  expect(await text("")).toContain("(no event)");
});

test("the receiver of development fails as often as it is told", async () => {
  const { admin } = await createOrganization(t);
  const endpoint = await createEndpoint(admin, hook);
  await fetch(`${receiver.webUrl}fail?next=1`, { method: "POST" });
  expectStatus(await admin.post("/api/todos", { title: "Failing" }), 201);
  await deliver(t);
  const lastAttempt = async () => (await deliveriesOf(admin, endpoint)).data[0].lastAttempt;
  expect(await lastAttempt()).toMatchObject({ number: 1, status: 500, responseExcerpt: "Failed on request" });
  await makeDue(t, endpoint);
  await deliver(t);
  expect(await lastAttempt()).toMatchObject({ number: 2, status: 200 });
  await fetch(`${receiver.webUrl}fail?next=Infinity`, { method: "POST" });
  expect(await text("")).toContain("The next ones fail");
  await fetch(`${receiver.webUrl}fail?next=0`, { method: "POST" });
  expect(await text("")).not.toContain("The next");
});

test("the page of the receiver is not shown to other hosts", async () => {
  const response = await fetch(receiver.webUrl, { headers: { host: "attacker.example" } });
  expect(response.status).toBe(421);
  expect(await response.text()).toBe("Unknown host");
});
