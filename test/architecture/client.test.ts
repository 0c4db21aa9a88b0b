import { expect, test } from "bun:test";
import { type ApiClient, apiClient } from "../support/client.ts";
import { createOrganization } from "../support/organizations.ts";
import { sharedService } from "../support/service.ts";

/** Runs `hc<Api>()` of hono/client against a service. Its types are tested in client-types.ts. */
const t = await sharedService();

async function signedIn(): Promise<ApiClient> {
  const { admin } = await createOrganization(t);
  const client = apiClient(t.url);
  const response = await client.api.auth.login.$post({ json: admin.account });
  if (response.status !== 200) throw new Error(`Not signed in: ${(await response.json()).code}`);
  expect(await response.json()).toEqual({ accessToken: expect.any(String) });
  return client;
}

/** Creates a todo through the client; returns it. */
async function create(client: ApiClient, title: string) {
  const response = await client.api.todos.$post({ json: { title } });
  if (response.status !== 201) throw new Error(`Not created: ${(await response.json()).code}`);
  return response.json();
}

test("`hc<Api>()` can sign in, create, change, list and delete", async () => {
  const client = await signedIn();
  const [water, feed] = [await create(client, "Water the plants"), await create(client, "Feed the cat")];
  const changed = await client.api.todos[":id"].$patch({ param: { id: feed.id }, json: { completed: true } });
  expect(changed.status).toBe(200);

  const query = { sort: "title", order: "asc", pageSize: "10" } as const;
  const listed = await client.api.todos.$get({ query });
  if (listed.status !== 200) throw new Error(`Not listed: ${(await listed.json()).code}`);
  const page = await listed.json();
  expect(page.data.map(({ id, completed }) => [id, completed])).toEqual([
    [feed.id, true],
    [water.id, false],
  ]);
  expect([page.total, page.pageSize]).toEqual([2, 10]);

  const deleted = await client.api.todos[":id"].$delete({ param: { id: water.id } });
  expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
});

test("an error response of `hc<Api>()` is identified by its status and code", async () => {
  const client = await signedIn();
  const invalid = await client.api.todos.$post({ json: { title: "" } });
  if (invalid.status !== 400) throw new Error(`Unexpected status: ${invalid.status}`);
  const error = await invalid.json();
  if (error.code !== "VALIDATION_FAILED") throw new Error(`Unexpected code: ${error.code}`);
  expect(error.errors?.map(({ path }) => path)).toEqual(["title"]);

  const absent = await client.api.todos[":id"].$get({ param: { id: crypto.randomUUID() } });
  if (absent.status !== 404) throw new Error(`Unexpected status: ${absent.status}`);
  expect((await absent.json()).code).toBe("NOT_FOUND");
});

test("`hc<Api>()` without a token gets 401", async () => {
  const client = apiClient(t.url);
  const json = { email: "nobody@example.com", password: "wide blue yonder" };
  const refused = await client.api.auth.login.$post({ json });
  if (refused.status !== 401) throw new Error(`Unexpected status: ${refused.status}`);
  expect((await refused.json()).code).toBe("INVALID_CREDENTIALS");

  const listed = await client.api.todos.$get({ query: {} });
  if (listed.status !== 401) throw new Error(`Unexpected status: ${listed.status}`);
  expect((await listed.json()).code).toBe("UNAUTHENTICATED");
});
