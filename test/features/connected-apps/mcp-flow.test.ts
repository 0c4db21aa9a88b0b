import { expect, test } from "bun:test";
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { freePort } from "../../../src/dev/free-port.ts";
import { approveAs, beginAs, insertClient, REDIRECT } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* The whole way of an agent by the client of the SDK alone: discovery, authorization, tokens, a tool (rules 46.60, 46.68). */

const port = await freePort(20_000 + Math.floor(Math.random() * 20_000));
const API = `http://127.0.0.1:${port}`;
const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", PORT: String(port), API_URL: API });
const clientId = await insertClient(t);
const acme = await createOrganization(t);

/** An app that keeps what it is given in memory, and notes the address that its person should open. */
function inMemory() {
  const kept: {
    opened?: URL;
    verifier?: string;
    tokens?: StoredOAuthTokens;
    discovery?: OAuthDiscoveryState;
  } = {};
  const authProvider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: "Agent", redirect_uris: [REDIRECT] },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (opened) => void Object.assign(kept, { opened }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (discovery) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
  };
  return { kept, authProvider };
}

test.each([[{ pin: "2026-07-28" }], ["auto"], ["legacy"]] as const)(
  "an agent of revision %p connects by itself",
  async (mode) => {
    const { kept, authProvider } = inMemory();
    const transport = () => new StreamableHTTPClientTransport(new URL(`${API}/mcp`), { authProvider });
    const client = () => new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const first = transport();
    await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
    const { origin, pathname, search } = kept.opened ?? new URL("about:blank");
    expect(origin + pathname).toBe("http://app.test/authorize");

    const shown = await beginAs(acme.admin, search.slice(1));
    expect(shown).toMatchObject({ resource: "mcp", client: { id: clientId } });
    const choice = { organizationId: acme.id, scopes: ["todos:read", "units:read"] };
    const { redirectTo } = expectStatus(await approveAs(acme.admin, shown, choice), 200).body;
    await first.finishAuth(new URL(redirectTo).searchParams);

    const connected = client();
    await connected.connect(transport());
    const { tools } = await connected.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["whoami", "search_operations", "read"]);
    const who = await connected.callTool({ name: "whoami", arguments: {} });
    expect(who.structuredContent).toMatchObject({
      untrustedData: { organization: { id: acme.id }, scopes: ["units:read", "todos:read"] },
      readOnly: true,
    });
    const read = await connected.callTool({ name: "read", arguments: { operationId: "listUnits" } });
    expect(read.structuredContent).toMatchObject({ status: 200, untrustedData: { page: 1, pageSize: 10 } });
    expect(connected.getInstructions()).toContain("untrustedData");
    await connected.close();
  },
);
