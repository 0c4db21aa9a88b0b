import type { Caller } from "./caller.ts";
import { assertDocumented } from "./document.ts";
import { unzip } from "./zip.ts";

export const EXPORT = "/api/profile/export";

/** Exports personal data; returns the archive's files by their names without `.json`, or the error. */
export async function exportOf(
  person: Caller,
  body: Record<string, unknown> = { password: person.account.password },
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const response = await openExport(person, body, init);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  const isJson = headers.get("content-type") === "application/json";
  const text = isJson ? new TextDecoder().decode(bytes) : "";
  const refusal = isJson ? JSON.parse(text) : "";
  assertDocumented("POST", EXPORT, { status, body: refusal, headers });
  const raw = status === 200 ? unzip(bytes) : {};
  // biome-ignore lint/suspicious/noExplicitAny: each test knows which files it expects
  const files: Record<string, any> = Object.fromEntries(
    Object.entries(raw).map(([name, content]) => [name.replace(/\.json$/, ""), JSON.parse(content)]),
  );
  return { status, headers, body: refusal, cookie: null, files, text: Object.values(raw).join("\n") };
}

/** Requests an export; returns the response without reading it. */
export const openExport = (
  person: Caller,
  body: Record<string, unknown> = { password: person.account.password },
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
) =>
  fetch(person.url + EXPORT, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(person.accessToken !== null && { authorization: `Bearer ${person.accessToken}` }),
      ...headers,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
