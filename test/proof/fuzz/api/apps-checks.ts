import { tokenHash } from "../../../../src/platform/crypto.ts";
import { type Check, finding, sendAgain } from "./exchange.ts";
import { visibleTo } from "./markers.ts";
import { operationSet } from "./operations.ts";

/* What people allow apps, and the tokens that apps get for it (rules 46). */

const [BEGIN = "", APPROVE = "", ISSUE = ""] = operationSet(
  ...["beginAuthorization", "approveAuthorization", "issueOAuthTokens"],
);

/** Whoever reads what an app asks for sees only the own organizations. */
export const checkShownOrganizations: Check = (exchange) => {
  const { plan, response, fixture } = exchange;
  if (plan.operation !== BEGIN) return null;
  const { organizations } = response.body as { organizations: { id: string; name: string }[] };
  const visible = visibleTo(plan.caller, fixture);
  const other = organizations.find(({ id }) => {
    const owner = fixture.organizationById.get(id);
    return owner !== undefined && !visible.includes(owner);
  });
  return finding("leak", exchange, other ? `shows the organization ${JSON.stringify(other)}` : null);
};

/** Grants that must not exist: of no member, or of an app that another organization registered or that does not work. */
const REFUSED = `NOT EXISTS (SELECT FROM memberships m
    WHERE m.user_id = g.user_id AND m.organization_id = g.organization_id AND NOT m.is_deleted)
  OR EXISTS (SELECT FROM oauth_clients c WHERE c.id = g.oauth_client_id
    AND (c.organization_id <> g.organization_id OR c.is_deleted OR NOT c.is_enabled))
  OR EXISTS (SELECT FROM users u WHERE u.id = g.user_id AND (u.is_deleted OR u.is_platform_admin))`;

/** An approval gives an app nothing that its person, or the app, may not have. */
export const checkApproval: Check = async (exchange) => {
  const { plan, fixture, t, since } = exchange;
  if (plan.operation !== APPROVE) return null;
  const found = await t.sql<{ is_refused: boolean; organization_id: string }>(
    `SELECT organization_id, (${REFUSED}) AS is_refused FROM oauth_grants g WHERE user_id = $1 AND created_at >= $2`,
    [fixture.userIds[plan.caller], since],
  );
  const problem =
    found.length !== 1
      ? `writes ${found.length} grants`
      : found[0]?.is_refused
        ? `allows what nobody may: ${JSON.stringify(found)}`
        : null;
  return finding("access", exchange, problem);
};

type Tokens = { access_token: string; refresh_token: string };

/** Tokens are of a grant that lives, for the app that asked. One answer is repeated as it is; a code that is used again ends all. */
export const checkTokens: Check = async (exchange) => {
  const { plan, request, response, t } = exchange;
  if (plan.operation !== ISSUE) return null;
  const sent = new URLSearchParams(String(request.init.body));
  const { access_token: access, refresh_token: refresh } = response.body as Tokens;
  const grants = await t.sql(
    `SELECT FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
     WHERE t.token_hash IN ($1, $2) AND g.ended_at IS NULL AND g.redeemed_at IS NOT NULL AND g.client_id = $3 AND NOT (${REFUSED})`,
    [tokenHash(access), tokenHash(refresh), sent.get("client_id")],
  );
  if (grants.length !== 2) return finding("access", exchange, "returns tokens of what was not allowed");
  if (plan.sampleKey % 4 !== 0) return null;
  const repeated = await sendAgain(exchange);
  if (sent.get("grant_type") === "refresh_token") {
    const isSame = repeated.status === 200 && (repeated.body as Tokens).refresh_token === refresh;
    return finding(
      "session",
      exchange,
      isSame ? null : `repeated, returns ${repeated.status}, or other tokens`,
    );
  }
  const headers = { ...(request.init.headers as Record<string, string>) };
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh });
  for (const name of ["client_id", "client_secret"]) body.set(name, sent.get(name) ?? "");
  const after = await sendAgain(exchange, { init: { method: "POST", headers, body: body.toString() } });
  const isEnded = repeated.status === 400 && after.status === 400;
  const problem = `a code used again returns ${repeated.status}, and the token of its first use ${after.status}`;
  return finding("session", exchange, isEnded ? null : problem);
};
