import { afterAll, beforeAll, expect, test } from "bun:test";
import { QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Window } from "happy-dom";
import { createElement, type ReactNode } from "react";
import type { Client } from "../../src/client/client.ts";
import {
  apiQueryOptions,
  ClientProvider,
  queryKey,
  useApiMutation,
  useApiQuery,
  useCan,
  useNotifications,
  useSession,
} from "../../src/client/react.ts";
import { Jar } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { createOrganization } from "../support/organizations.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const window = new Window();

// Only the globals that React DOM needs: with all browser globals, the client would behave as in a browser.
beforeAll(() => {
  Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: false });
});
afterAll(async () => {
  Object.assign(globalThis, { window: undefined, document: undefined });
  await window.happyDOM.close();
});

/** Renders a component inside the providers; `says` waits until its text equals the argument. */
async function show(client: Client, Shown: () => ReactNode) {
  const { createRoot } = await import("react-dom/client");
  const queries = new QueryClient();
  const place = window.document.createElement("div");
  const root = createRoot(place as unknown as Element);
  const below = createElement(ClientProvider, { client }, createElement(Shown));
  root.render(createElement(QueryClientProvider, { client: queries }, below));
  const says = (text: string) => until(() => (place.textContent === text ? true : null));
  return { queries, says, end: () => root.unmount() };
}

test("useSession and useCan re-render when the session changes", async () => {
  const { admin } = await createOrganization(t, "Acme");
  const client = new Jar(t.url).tab({ heard: false });
  const { says, end } = await show(client, () => {
    const session = useSession();
    const can = useCan("Members.Read");
    return session.status === "signed-in"
      ? `${session.organization?.name} ${can}`
      : `${session.status} ${can}`;
  });
  await says("signed-out false");
  await client.signIn(admin.account);
  await says("Acme true");
  await client.signOut();
  await says("signed-out false");
  end();
});

test("a query has typed error codes, and a switch of the organization discards its data", async () => {
  const { admin, id } = await createOrganization(t, "First");
  const other = await createOrganization(t, "Second");
  await other.add(admin, { role: "MEMBER" });
  const client = new Jar(t.url).tab({ heard: false });
  await client.signIn(admin.account);
  const shown: string[] = [];
  const { says, end, queries } = await show(client, () => {
    const { data, error } = useApiQuery("GET /api/organization");
    if (error?.code === "NETWORK_ERROR") return "away";
    shown.push(data?.name ?? "nothing");
    return data?.name;
  });
  await says("First");
  await client.switchOrganization(other.id);
  await says("Second");
  // After "Second" was rendered, "First" is never rendered again. An empty state in between is allowed.
  expect(shown.indexOf("First", shown.indexOf("Second"))).toBe(-1);
  expect(queries.getQueryData(queryKey("GET /api/organization"))).toMatchObject({ id: other.id });
  await client.switchOrganization(id);
  await says("First");
  end();
});

test("a query accepts `select`, its options work in the query client, and an optimistic update is rolled back", async () => {
  const { admin } = await createOrganization(t);
  const client = new Jar(t.url).tab({ heard: false });
  await client.signIn(admin.account);
  const todos = apiQueryOptions(client, "GET /api/todos");
  const asked = { title: "" };
  let add = () => {};
  const undone: unknown[] = [];
  const { says, end, queries } = await show(client, () => {
    const queryClient = useQueryClient();
    const { data } = useApiQuery("GET /api/todos", {}, { select: ({ total }) => `${total} in all` });
    const { mutate } = useApiMutation("POST /api/todos", {
      async onMutate({ body }) {
        await queryClient.cancelQueries(todos);
        const before = queryClient.getQueryData(todos.queryKey);
        queryClient.setQueryData(todos.queryKey, (page) => page && { ...page, total: page.total + 1 });
        return { before, title: body.title };
      },
      onError(_error, _input, context) {
        undone.push(context?.title);
        queryClient.setQueryData(todos.queryKey, context?.before);
      },
    });
    add = () => mutate({ body: asked });
    return data;
  });
  await says("0 in all");
  await queries.fetchQuery(todos);
  add();
  await until(() => (undone.length === 1 ? true : null));
  await says("0 in all");
  expect(queries.getQueryData(todos.queryKey)?.total).toBe(0);
  end();
});

test("two components that subscribe to notifications share one stream", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const client = jar.tab({ heard: false });
  await client.signIn(person.account);
  const Bell = () => `${useNotifications().unreadCount} `;
  const { says, end } = await show(client, () => [
    createElement(Bell, { key: "bell" }),
    createElement(Bell, { key: "list" }),
  ]);
  await says("1 1 ");
  expect(jar.count("GET /api/notifications/stream")).toBe(1);
  end();
});

test("a mutation sends a request, and the notification list updates live", async () => {
  const person = await t.person();
  const client = new Jar(t.url).tab({ heard: false });
  await client.signIn(person.account);
  let send = () => {};
  const ids: string[] = [];
  const { says, end } = await show(client, () => {
    const { unreadCount, status } = useNotifications((id) => ids.push(id));
    const list = useApiQuery("GET /api/notifications");
    const { mutate } = useApiMutation("POST /api/notifications/test");
    send = () => mutate({});
    return `${status} ${unreadCount} ${list.data?.data.map(({ type }) => type).join()}`;
  });
  await says("open 1 WELCOME");
  send();
  await says("open 2 TEST,WELCOME");
  expect(ids.length).toBe(1);
  end();
});
