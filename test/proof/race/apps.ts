import { appScopeNames } from "../../../src/core/access/app-scopes.ts";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import type { SignedInCall } from "../../../src/core/context.ts";
import { issueRequestToken } from "../../../src/features/connected-apps/authorize/request-token.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { CHALLENGE, DOCUMENT_APP, REDIRECT } from "../../support/apps.ts";
import { environmentFor } from "../../support/environment.ts";
import type { RaceWorld } from "./fixture.ts";

const settings = environmentFor("", 0);
/** Signs requests as the instances do. */
const app = {
  config: { jwtSecret: settings.JWT_SECRET ?? "", jwtSecretPrevious: null, apiUrl: settings.APP_URL ?? "" },
};
const LONG_AGO = "2026-01-01T00:00:00Z";

type Allowed = {
  who: string;
  clientId?: string;
  isRegistered?: boolean;
  unitId?: string | null;
  isRedeemed?: boolean;
};

/** Adds registered and approved apps, what people allowed them, and requests that can be approved. */
export async function addApps(world: RaceWorld): Promise<void> {
  const { ids, texts, tokens, rows } = world;
  const client = (text: string, organization_id: string | null = ids.org ?? null, isConfidential = false) =>
    world.put(text, "oauth_clients", {
      ...{ organization_id, name: text, redirect_uris: [REDIRECT], is_confidential: isConfidential },
      ...{ secret_hash: isConfidential ? tokenHash(appSecret("s")) : null },
    });
  const shared = client("client");
  client("server", ids.org, true);
  const operator = client("operator's app", null);
  const approved = { organization_id: ids.org, app: new URL(DOCUMENT_APP).hostname };
  world.put("approved app", "oauth_approved_apps", approved);

  const allow = (
    text: string,
    { who, clientId = shared, isRegistered = true, unitId = null, isRedeemed = true }: Allowed,
  ) =>
    world.put(text, "oauth_grants", {
      ...{ user_id: ids[who], organization_id: ids.org, unit_id: unitId, client_id: clientId },
      ...{ oauth_client_id: isRegistered ? clientId : null, client_name: "App" },
      ...{ client_host: isRegistered ? null : new URL(clientId).hostname, redirect_uri: REDIRECT },
      ...{ resource: "api", scopes: appScopeNames(), request_id: crypto.randomUUID() },
      ...{ redeemed_at: isRedeemed ? new Date() : null, last_used_at: isRedeemed ? new Date() : null },
    });
  const give = (name: string, grantId: string, kind: "access" | "refresh", more: object = {}) => {
    const token = appSecret(kind === "access" ? "a" : "r");
    const columns = { rotated_at: null, previous_hash: null, ...more };
    rows.put("oauth_tokens", { token_hash: tokenHash(token), grant_id: grantId, kind, ...columns });
    texts[name] = token;
    return token;
  };
  const ofMember = allow("member's grant", { who: "member" });
  const old = give("app's old refresh token", ofMember, "refresh", { rotated_at: LONG_AGO });
  give("app's refresh token", ofMember, "refresh", { previous_hash: tokenHash(old) });
  give("app's access token", ofMember, "access");
  const document = { who: "member", clientId: DOCUMENT_APP, isRegistered: false };
  give("document's refresh token", allow("member's grant to a document", document), "refresh");
  give(
    "unit's refresh token",
    allow("grant of a unit", { who: "second", unitId: ids.empty ?? "" }),
    "refresh",
  );
  tokens.app = give(
    "founder's token",
    allow("founder's grant", { who: "founder", clientId: operator }),
    "access",
  );

  const code = appSecret("c");
  texts["app's code"] = code;
  const asked = allow("grant of a code", { who: "member", isRedeemed: false });
  rows.put("oauth_codes", { token_hash: tokenHash(code), grant_id: asked, code_challenge: CHALLENGE });

  // Approving needs a recent proof of identity.
  const sessionId = ids["founder's session"];
  rows.put("session_proofs", { session_id: sessionId, user_id: ids.founder, proved_at: new Date() });
  for (const [name, id] of [["request", shared] as const, ["operator's request", operator] as const]) {
    const actor = { userId: ids.founder, sessionId };
    const organizationId = id === operator ? null : (ids.org ?? "");
    const source = id === operator ? ("operator" as const) : ("organization" as const);
    const { requestToken } = await issueRequestToken({ app, actor } as unknown as SignedInCall, {
      client: { id, name: "App", host: null, source, oauthClientId: id, organizationId },
      ...{ redirectUri: REDIRECT, codeChallenge: CHALLENGE, state: null, resource: "api" },
      scopes: ["todos:read"],
    });
    texts[name] = requestToken;
  }
}
