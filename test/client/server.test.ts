import { expect, test } from "bun:test";
import { join } from "node:path";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createClient } from "../../src/client/index.ts";
import { ClientProvider, useApiQuery, useCan, useSession } from "../../src/client/react.ts";
import { startService } from "../support/service.ts";

/* The client in a process without a page: a server that renders, or a script. */

const t = await startService();
const CLIENT = join(import.meta.dir, "../../src/client/index.ts");

/** Runs a program in a separate process until it exits by itself; returns its output. */
async function run(program: string): Promise<string> {
  const child = Bun.spawn(["bun", "-e", program], { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return output.trim();
}

test("outside a browser, the client sends no request by itself, and does not keep the process alive", async () => {
  const output = await run(`
    import { createClient } from ${JSON.stringify(CLIENT)};
    let sent = 0;
    const fetch = () => Promise.reject(new TypeError(String(sent += 1)));
    const clients = [createClient({ baseUrl: "" }), createClient({ baseUrl: "", remembers: true, fetch })];
    globalThis.fetch = fetch;
    await Bun.sleep(500);
    console.log(JSON.stringify([sent, ...clients.map(({ session }) => session.get().status)]));
  `);
  expect(JSON.parse(output)).toEqual([0, "loading", "loading"]);
});

test("outside a browser, a signed-in client sets no timer, and its requests are authenticated", async () => {
  const person = await t.person();
  const output = await run(`
    import { createClient } from ${JSON.stringify(CLIENT)};
    const client = createClient({ baseUrl: ${JSON.stringify(t.url)} });
    await client.signIn(${JSON.stringify(person.account)});
    console.log((await client.request("GET /api/profile")).email);
  `);
  expect(output).toBe(person.email);
});

test("in server-side rendering, the session has the status `loading` and no query is sent", () => {
  const client = createClient({
    baseUrl: t.url,
    fetch: (() => Promise.reject(new Error("Not on a server"))) as unknown as typeof fetch,
  });
  const Page = () => {
    const session = useSession();
    const { status } = useApiQuery("GET /api/todos");
    return `${session.status} ${useCan("Todos.Read")} ${status}`;
  };
  const app = createElement(ClientProvider, { client }, createElement(Page));
  expect(renderToString(createElement(QueryClientProvider, { client: new QueryClient() }, app))).toBe(
    "loading false pending",
  );
});
