import { expect, test } from "bun:test";
import { createMachineClient } from "../../src/client/machine.ts";
import { createMachine } from "../support/machines.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const t = await startService();

/** A bearer that the API accepts: for the client there is no difference between the token of an app and a key. */
async function validToken() {
  const made = await createMachine(await createOrganization(t), { role: "ORG_ADMIN" });
  return made.key;
}

/** Creates the client of an app whose tokens are those of a list, the last of them again and again. */
function appWith(...tokens: string[]) {
  const [sent, asked]: [(string | null)[], number[]] = [[], []];
  const fetch = (async (url: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get("authorization"));
    return globalThis.fetch(url, init);
  }) as typeof globalThis.fetch;
  const token = async () => {
    const next = tokens[Math.min(asked.length, tokens.length - 1)] ?? "";
    asked.push(asked.length);
    return next;
  };
  return { app: createMachineClient({ baseUrl: t.url, token, fetch }), sent, asked };
}

test("the token of an app is a text, or a function that is called for each request", async () => {
  const key = await validToken();
  const fixed = createMachineClient({ baseUrl: t.url, token: key });
  expect((await fixed.request("GET /api/units")).total).toBe(0);
  const { app, sent, asked } = appWith(key);
  await app.request("GET /api/units");
  const { id } = await app.request("POST /api/units", { body: { name: "Depot", parentId: null } });
  expect(id).toBeString();
  expect([sent, asked]).toEqual([Array(2).fill(`Bearer ${key}`), [0, 1]]);
});

test("after a 401 the function is called once more, and the request is repeated with another token", async () => {
  const key = await validToken();
  const { app, sent } = appWith("dead", key);
  expect((await app.request("GET /api/units")).total).toBe(0);
  expect(sent).toEqual(["Bearer dead", `Bearer ${key}`]);

  const dead = appWith("dead", "also-dead", key);
  await expect(dead.app.request("GET /api/units")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(dead.sent).toEqual(["Bearer dead", "Bearer also-dead"]);
});

test("the same token again, another error and a failure of the function end the request", async () => {
  const same = appWith("dead");
  await expect(same.app.request("GET /api/units")).rejects.toMatchObject({ status: 401 });
  expect([same.sent.length, same.asked.length]).toEqual([1, 2]);

  const { app, asked } = appWith(await validToken(), "unused");
  await expect(
    app.request("GET /api/events/{id}", { path: { id: crypto.randomUUID() } }),
  ).rejects.toMatchObject({ status: 404 });
  expect(asked).toHaveLength(1);

  const failing = createMachineClient({
    baseUrl: t.url,
    token: () => Promise.reject(new Error("No refresh token")),
  });
  await expect(failing.request("GET /api/units")).rejects.toThrow("No refresh token");
});

test("the client of an app offers only what apps may call, and its errors are those of the endpoint", () => {
  type App = ReturnType<typeof appWith>["app"];
  const check = async (app: App) => {
    const outcome = await app.settle(app.request("GET /api/todos"));
    if (!outcome.ok && outcome.error.code === "INSUFFICIENT_SCOPE") outcome.error.status satisfies 403;
    for await (const { title } of app.rows("GET /api/todos")) title satisfies string;
    for await (const { event } of app.events()) event.type satisfies string;
    // @ts-expect-error no app may change a member's roles
    await app.request("DELETE /api/members/{userId}", { path: { userId: "x" } });
    // @ts-expect-error no app may read the profile
    await app.request("GET /api/profile");
  };
  expect(check).toBeFunction();
});
