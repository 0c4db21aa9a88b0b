import { hc } from "hono/client";
import type { Api } from "../../src/client/hono.ts";

/** The typed client, which knows the service only by its types. */
export type ApiClient = ReturnType<typeof hc<Api>>;

/** Creates a client as an application would: it stores its access token and sends it from then on. */
export function apiClient(url: string): ApiClient {
  let accessToken: string | null = null;
  return hc<Api>(url, {
    async fetch(input: string | URL | Request, init?: RequestInit) {
      const headers = new Headers(init?.headers);
      if (accessToken !== null) headers.set("authorization", `Bearer ${accessToken}`);
      const response = await fetch(input, { ...init, headers });
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const body = isJson ? ((await response.clone().json()) as { accessToken?: unknown } | null) : null;
      if (typeof body?.accessToken === "string") accessToken = body.accessToken;
      return response;
    },
  });
}
