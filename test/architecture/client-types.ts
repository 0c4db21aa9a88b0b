import type { ApiClient } from "../support/client.ts";

/**
 * Tests the types of `hc<Api>()` at compile time. tsc checks this file with all others, and reports every
 * `@ts-expect-error` whose next line has no error. The file is never executed.
 */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const assertSame = <One, Other>(_isSame: Same<One, Other>) => {};

/** The statuses that every route with a JSON body may return. */
type Shared = 400 | 401 | 403 | 408 | 413 | 415 | 500 | 503;

export async function paths(client: ApiClient) {
  await client.api.todos.$get({ query: {} });
  await client.api.todos[":id"].$get({ param: { id: "x" } });
  // @ts-expect-error no such path
  await client.api.todo.$get({ query: {} });
  // @ts-expect-error the path has no such method
  await client.api.todos.$delete();
  // @ts-expect-error the parameter of the path is missing
  await client.api.todos[":id"].$get();
  // @ts-expect-error the parameter of the path has another name
  await client.api.todos[":id"].$get({ param: { todoId: "x" } });
}

export async function queries(client: ApiClient) {
  await client.api.todos.$get({ query: { page: "2", sort: "title", completed: "true" } });
  // @ts-expect-error an unknown sort field
  await client.api.todos.$get({ query: { sort: "owner" } });
  // @ts-expect-error an unknown filter
  await client.api.todos.$get({ query: { owner: "x" } });
}

export async function bodies(client: ApiClient) {
  await client.api.todos.$post({ json: { title: "x" } });
  // @ts-expect-error the body is missing
  await client.api.todos.$post();
  // @ts-expect-error the title is missing
  await client.api.todos.$post({ json: {} });
  // @ts-expect-error the title must be a string
  await client.api.todos.$post({ json: { title: 1 } });
  // @ts-expect-error an unknown field
  await client.api.todos.$post({ json: { title: "x", color: "red" } });
}

export async function responses(client: ApiClient) {
  const response = await client.api.todos.$post({ json: { title: "x" } });
  assertSame<typeof response.status, 201 | 404 | 409 | 422 | 429 | Shared>(true);
  // @ts-expect-error a status that this route never has
  if (response.status === 402) return;
  if (response.status === 201) {
    const todo = await response.json();
    assertSame<typeof todo.completed, boolean>(true);
    // @ts-expect-error a todo has no such field
    todo.color;
  }
  if (response.status === 403) {
    const error = await response.json();
    type Codes =
      | "API_KEY_NOT_ALLOWED"
      | "FORBIDDEN"
      | "INSUFFICIENT_SCOPE"
      | "IP_NOT_ALLOWED"
      | "ORGANIZATION_OVERRIDE_FORBIDDEN"
      | "ORGANIZATION_REQUIRED"
      | "ORGANIZATION_SUSPENDED"
      | "PLAN_LIMIT_REACHED"
      | "TWO_FACTOR_REQUIRED";
    assertSame<typeof error.code, Codes>(true);
    // @ts-expect-error a code that this route never has with this status
    if (error.code === "INVALID_CREDENTIALS") return;
  }
}

export async function responsesWithoutBody(client: ApiClient) {
  const response = await client.api.todos[":id"].$delete({ param: { id: "x" } });
  assertSame<typeof response.status, 204 | 404 | 429 | Shared>(true);
  if (response.status === 404) {
    const error = await response.json();
    assertSame<typeof error.code, "NOT_FOUND">(true);
  }
}

export async function choices(client: ApiClient) {
  const response = await client.api.auth.login.$post({ json: { email: "x", password: "y" } });
  assertSame<typeof response.status, 200 | 429 | Shared>(true);
  if (response.status !== 200) return;
  const outcome = await response.json();
  // @ts-expect-error the response may be a two-factor challenge, which has no access token
  outcome.accessToken;
  if ("challengeToken" in outcome) assertSame<typeof outcome.twoFactorRequired, true>(true);
  else assertSame<typeof outcome.accessToken, string>(true);
  if (outcome.twoFactorRequired) assertSame<typeof outcome.challengeToken, string>(true);
  else assertSame<typeof outcome.accessToken, string>(true);
}

export async function errorsByCode(client: ApiClient) {
  const response = await client.api.todos.$post({ json: { title: "x" } });
  if (response.status === 403) {
    const error = await response.json();
    if (error.code === "PLAN_LIMIT_REACHED") {
      // A product may add names.
      error.details.limit satisfies string;
      "members" satisfies typeof error.details.limit;
      // @ts-expect-error no name of a limit
      "nothing" satisfies typeof error.details.limit;
      assertSame<typeof error.details.max, number>(true);
      // @ts-expect-error a field that only another error code has
      error.errors.length;
    }
    // @ts-expect-error a field that only another error code has
    else error.details;
  }
  if (response.status === 400) {
    const error = await response.json();
    if (error.code === "VALIDATION_FAILED") assertSame<(typeof error.errors)[number]["path"], string>(true);
    // @ts-expect-error a field that only another error code has
    else error.errors.length;
  }
}

export async function notifications(client: ApiClient) {
  const response = await client.api.notifications.$get({ query: {} });
  if (response.status !== 200) return;
  const [notification] = (await response.json()).data;
  switch (notification?.type) {
    case "PASSWORD_CHANGED":
      assertSame<typeof notification.data.via, "change" | "reset">(true);
      break;
    case "HELPDESK_STATUS_CHANGED":
      assertSame<typeof notification.data.status, "OPEN" | "IN_PROGRESS" | "RESOLVED" | "CLOSED">(true);
      break;
    case "TEST":
      // @ts-expect-error data of another notification type
      notification.data.via;
      break;
    // @ts-expect-error an unknown notification type
    case "NEWS":
  }
}

export async function auditEvents(client: ApiClient) {
  const response = await client.api["audit-events"].$get({ query: {} });
  if (response.status !== 200) return;
  const [event] = (await response.json()).data;
  switch (event?.action) {
    case "USER_INVITED":
      assertSame<typeof event.targetType, "invitation">(true);
      assertSame<typeof event.metadata.supersededId, string | null | undefined>(true);
      break;
    case "LOGIN_FAILED":
      assertSame<typeof event.targetType, "user" | null>(true);
      // @ts-expect-error metadata of another action
      event.metadata.supersededId;
      break;
    // @ts-expect-error an unknown action
    case "NEWS":
  }
}

export async function permissions(client: ApiClient) {
  const response = await client.api.permissions.$get();
  if (response.status !== 200) return;
  const [permission] = await response.json();
  // @ts-expect-error an unknown permission
  if (permission?.name === "Todos.Sell") return;
}
