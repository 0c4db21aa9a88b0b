import { expect, test } from "bun:test";
import { AUTHORIZATIONS, insertClient } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/*
 * Authorization requests as the clients of vendors send them, from their documents and public reports. The documents of their
 * client ids are not read from the internet: their rows are those of a reading.
 */

const API = "https://api.acme.example";
const t = await startService({
  OAUTH: "on",
  OAUTH_APPS: "any",
  API_URL: API,
  APP_URL: "https://app.acme.example",
});
const { admin } = await createOrganization(t);
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const DOCUMENTS: Record<string, string[]> = {
  "https://claude.ai/oauth/mcp-oauth-client-metadata": ["https://claude.ai/api/mcp/auth_callback"],
  "https://claude.ai/oauth/claude-code-client-metadata": [
    "http://localhost/callback",
    "http://127.0.0.1/callback",
  ],
  "https://vscode.dev/oauth/client-metadata.json": ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  "https://chatgpt.com/oauth/asdk_app_1/client.json": ["https://chatgpt.com/connector/oauth/asdk_app_1"],
  "https://inspector.example.com/client.json": [
    "http://localhost:6274/oauth/callback",
    "http://localhost:6274/oauth/callback/debug",
  ],
};
for (const [url, redirectUris] of Object.entries(DOCUMENTS))
  await t.sql(
    `INSERT INTO oauth_client_documents (url, name, redirect_uris, fetched_at, fresh_until)
     VALUES ($1, 'App', ARRAY(SELECT jsonb_array_elements_text($2::text::jsonb)), now(), now() + interval '1 hour')`,
    [url, JSON.stringify(redirectUris)],
  );
const cursor = await insertClient(t, { redirectUris: ["http://localhost:8787/callback"] });
const inspector = await insertClient(t, { redirectUris: ["http://localhost:6274/oauth/callback"] });
const all = encodeURIComponent("organization:read units:read todos:read todos:write");

/** The query of each client, with its parameters in its order and its encoding. */
const REQUESTS: [client: string, query: string][] = [
  [
    "claude.ai",
    `response_type=code&client_id=${encodeURIComponent("https://claude.ai/oauth/mcp-oauth-client-metadata")}&redirect_uri=${encodeURIComponent("https://claude.ai/api/mcp/auth_callback")}&code_challenge=${CHALLENGE}&code_challenge_method=S256&state=Qm9i&scope=${all}+offline_access&resource=${encodeURIComponent(`${API}/mcp`)}&prompt=consent`,
  ],
  [
    "Claude Code",
    `response_type=code&client_id=${encodeURIComponent("https://claude.ai/oauth/claude-code-client-metadata")}&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=${encodeURIComponent("http://localhost:53682/callback")}&state=x-1&scope=${all}&resource=${encodeURIComponent(`${API}/mcp`)}`,
  ],
  [
    "VS Code",
    `client_id=${encodeURIComponent("https://vscode.dev/oauth/client-metadata.json")}&response_type=code&code_challenge=${CHALLENGE}&code_challenge_method=S256&scope=${all}&resource=${encodeURIComponent(`${API}/mcp`)}&redirect_uri=${encodeURIComponent("http://127.0.0.1:33418/")}&state=${encodeURIComponent("vscode://dynamicauthprovider/api.acme.example/authorize?nonce=1")}`,
  ],
  [
    "VS Code, on another port",
    `client_id=${encodeURIComponent("https://vscode.dev/oauth/client-metadata.json")}&response_type=code&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=${encodeURIComponent("http://127.0.0.1:61234/")}&state=1`,
  ],
  [
    "ChatGPT, connecting again without scope",
    `response_type=code&client_id=${encodeURIComponent("https://chatgpt.com/oauth/asdk_app_1/client.json")}&redirect_uri=${encodeURIComponent("https://chatgpt.com/connector/oauth/asdk_app_1")}&state=oauth_s_1&code_challenge=${CHALLENGE}&code_challenge_method=S256&resource=${encodeURIComponent(`${API}/mcp`)}`,
  ],
  [
    "Cursor, registered",
    `response_type=code&client_id=${cursor}&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=${encodeURIComponent("http://localhost:8787/callback")}&state=abc&resource=${encodeURIComponent(`${API}/mcp`)}`,
  ],
  [
    "MCP Inspector, by a document",
    `response_type=code&client_id=${encodeURIComponent("https://inspector.example.com/client.json")}&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=${encodeURIComponent("http://localhost:6274/oauth/callback/debug")}&state=7f&scope=${all}&resource=${encodeURIComponent(`${API}/mcp/`)}`,
  ],
  [
    "MCP Inspector, registered",
    `response_type=code&client_id=${inspector}&code_challenge=${CHALLENGE}&code_challenge_method=S256&redirect_uri=${encodeURIComponent("http://localhost:6274/oauth/callback")}&state=7f`,
  ],
];

test.each(REQUESTS)(
  "the request of %s reaches the page of consent, and its answer has state and iss",
  async (_, query) => {
    const request = expectStatus(await admin.post(AUTHORIZATIONS, { query }), 200).body;
    const sent = new URLSearchParams(query);
    expect([request.resource, request.redirectHost]).toEqual([
      "mcp",
      new URL(sent.get("redirect_uri") ?? "").hostname,
    ]);
    expect(request.loopback).toBe(sent.get("redirect_uri")?.startsWith("http://") ?? false);
    const { requestToken } = request;
    const { redirectTo } = expectStatus(
      await admin.post(`${AUTHORIZATIONS}/deny`, { requestToken }),
      200,
    ).body;
    const answer = new URL(redirectTo);
    expect(`${answer.origin}${answer.pathname}`).toBe(new URL(sent.get("redirect_uri") ?? "").href);
    expect(Object.fromEntries(answer.searchParams)).toEqual({
      error: "access_denied",
      state: sent.get("state") ?? "",
      iss: API,
    });
  },
);
