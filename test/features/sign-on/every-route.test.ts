import { expect, test } from "bun:test";
import { signIn as signInByPasskey, withPasskey } from "../../support/authenticator.ts";
import { Caller, claimsOf } from "../../support/caller.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { definitions, schemaOf } from "../../support/routes.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { sameBrowser } from "../../support/sessions.ts";
import { SIGN_ON, setPolicy } from "../../support/sign-on.ts";
import { browserAt, type Connection, connect, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";
import { type Factor, forgetAttempts, withTwoFactor } from "../../support/two-factor.ts";

/*
 * Random accounts, connections, domains, policies and proofs: no route of the document returns a token for an
 * organization in which its session is not proven. What is allowed is computed here from the rows of the database.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 12);
const oidc = await startOidc();
const provider = await SsoProvider.start();
const t = await startService({ ...SIGN_ON, ...withProviders(oidc) });

/** The routes that return an access token or set the refresh cookie. */
const returnsToken = ({ responses }: (typeof definitions)[number]) =>
  Object.entries(responses).some(([status, response]) => {
    const schema = JSON.stringify(schemaOf(response)?.toJSONSchema?.({ unrepresentable: "any" }) ?? {});
    const text = JSON.stringify(response);
    return schema.includes('"accessToken"') || (status === "302" && text.includes("#token="));
  });

type Proof = { kind: string; factors: number; proved_at: Date; connection_id: string | null };

/** Returns until when a session may act in an organization; null if it may not. */
async function mayActUntil(session: string, userId: string, organizationId: string): Promise<number | null> {
  const proofs = await t.sql<Proof>("SELECT * FROM session_proofs WHERE session_id = $1", [session]);
  const [policy] = await t.sql<{
    scope: string;
    require_two_factor: boolean;
    max_session_hours: number | null;
  }>("SELECT * FROM sign_on_policies WHERE organization_id = $1", [organizationId]);
  const hours = policy?.max_session_hours ?? null;
  const own = proofs.filter(({ kind }) => kind !== "sso");
  const newest = Math.max(...own.map(({ proved_at }) => proved_at.getTime()));
  const ownEnd =
    own.length === 0 ? 0 : hours === null ? Number.POSITIVE_INFINITY : newest + hours * 3_600_000;
  let ssoEnd = 0;
  let isTrusted = false;
  const identities = await t.sql<{ connection_id: string; linked_at: Date; status: string }>(
    `SELECT i.connection_id, i.linked_at, c.status FROM sso_identities i JOIN sso_connections c ON c.id = i.connection_id
     WHERE i.user_id = $1 AND c.organization_id = $2 AND NOT c.is_deleted`,
    [userId, organizationId],
  );
  for (const proof of proofs) {
    const identity = identities.find(({ connection_id }) => connection_id === proof.connection_id);
    if (identity?.status !== "ENABLED" || identity.linked_at > proof.proved_at) continue;
    const end = proof.proved_at.getTime() + (hours ?? 24) * 3_600_000;
    if (end > Date.now()) {
      ssoEnd = Math.max(ssoEnd, end);
      isTrusted ||= proof.factors === 2;
    }
  }
  const [domain] = await t.sql(
    `SELECT FROM account_emails e JOIN organization_domains d ON d.domain = split_part(e.email, '@', 2)
     WHERE e.user_id = $1 AND d.organization_id = $2 AND d.status IN ('VERIFIED', 'LAPSED')`,
    [userId, organizationId],
  );
  const [glass] = await t.sql("SELECT FROM break_glass_members WHERE organization_id = $1 AND user_id = $2", [
    organizationId,
    userId,
  ]);
  const scope = policy?.scope ?? "off";
  const isBound =
    glass === undefined &&
    (scope === "everyone" || (scope === "domains" && (domain !== undefined || identities.length > 0)));
  const hasFactors = own.some(({ factors }) => factors === 2) || isTrusted;
  const until = Math.max(isBound ? 0 : ownEnd, ssoEnd);
  return until <= Date.now() || (policy?.require_two_factor && !hasFactors) ? null : until;
}

async function assertProven(route: string, token: string): Promise<string | null> {
  const { sub, sid, organization, exp } = claimsOf(token);
  if (organization === null) return null;
  const until = await mayActUntil(sid, sub, organization.id);
  expect([route, until !== null]).toEqual([route, true]);
  expect([route, exp * 1000 <= (until ?? 0) + 1_000]).toEqual([route, true]);
  return organization.id;
}

const pick = <T>(...values: T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const chance = (share: number) => Math.random() < share;

type World = { person: Caller; connections: Connection[]; factor: Factor | null; subject: string };

/** A person with an own way to sign in, in up to three organizations with connections, domains and policies. */
async function randomWorld(): Promise<World> {
  const connections: Connection[] = [];
  for (let count = 0; count < 3; count += 1)
    connections.push(
      await connect(t, await createOrganization(t), provider, {
        secondFactor: pick("own", "trusted"),
        provisioning: pick("none", "jit"),
      }),
    );
  const { domain } = pick(...connections);
  const email = chance(0.7) ? uniqueEmail().replace(/@.*$/, `@${domain}`) : uniqueEmail();
  const person = await t.person({ email });
  const factor = chance(0.4) ? await withTwoFactor(t, person) : null;
  const subject = oidc.person({ email });
  await t.sql(
    "INSERT INTO user_identities (user_id, provider, issuer, subject, email) VALUES ($1, 'acme', $2, $3, $4)",
    [idOf(person), oidc.issuer, subject, email],
  );
  for (const { organization, id } of connections) {
    if (chance(0.8)) await organization.add(person, { role: "MEMBER" });
    if (chance(0.7))
      await setPolicy(t, organization, {
        scope: pick("off", "domains", "everyone"),
        two_factor: chance(0.3),
        hours: pick(null, null, 1, 5),
      });
    if (chance(0.1))
      await t.sql("INSERT INTO break_glass_members (organization_id, user_id) VALUES ($1, $2)", [
        organization.id,
        idOf(person),
      ]);
    if (chance(0.6))
      await t.sql(
        `INSERT INTO sso_identities (connection_id, user_id, subject, email, linked_at)
         VALUES ($1, $2, $3, $4, now() - interval '40 hours')`,
        [id, idOf(person), `${subject}-sso`, email],
      );
    if (chance(0.15)) await t.sql("UPDATE sso_connections SET status = 'DISABLED' WHERE id = $1", [id]);
    if (chance(0.2))
      await t.sql("UPDATE organization_domains SET status = 'LAPSED' WHERE organization_id = $1", [
        organization.id,
      ]);
  }
  if (chance(0.5))
    await t.sql("UPDATE users SET last_organization_id = $2 WHERE id = $1", [
      idOf(person),
      pick(...connections).organization.id,
    ]);
  return { person, connections, factor, subject };
}

/** Gives the person's session random proofs: own ones of any age or none, and some by connections. */
async function shuffleProofs({ person, connections }: World): Promise<void> {
  const { sid } = claimsOf(person.accessToken ?? "");
  await t.sql(
    "UPDATE session_proofs SET proved_at = now() - make_interval(mins => $2) WHERE session_id = $1 AND kind <> 'sso'",
    [sid, pick(0, 30, 90, 600)],
  );
  for (const { id } of connections)
    if (chance(0.5))
      await t.sql(
        `INSERT INTO session_proofs (session_id, kind, connection_id, user_id, factors, proved_at)
         VALUES ($1, 'sso', $2, $3, $4, now() - make_interval(mins => $5)) ON CONFLICT DO NOTHING`,
        [sid, id, idOf(person), pick(1, 2), pick(0, 50, 200, 1_430, 1_450, 2_500)],
      );
  const [{ count } = { count: 0 }] = await t.sql<{ count: number }>(
    "SELECT count(*)::int FROM session_proofs WHERE session_id = $1 AND kind = 'sso'",
    [sid],
  );
  if (count > 0 && chance(0.4))
    await t.sql("DELETE FROM session_proofs WHERE session_id = $1 AND kind <> 'sso'", [sid]);
}

/** Completes a sign-in that may need the second factor; returns the token. */
async function completed(
  world: World,
  caller: Caller,
  challenge: string | undefined,
): Promise<string | null> {
  if (challenge === undefined) return caller.accessToken;
  await world.factor?.rewind();
  await forgetAttempts(t, world.person);
  const body = { challengeToken: challenge, code: world.factor?.code() };
  const response = await caller.post("/api/auth/2fa/verify", body);
  return response.status === 200 ? response.body.accessToken : null;
}

/** Each way to a token, by the operation that returns it. Null: it was refused. */
const WAYS: Record<string, (world: World) => Promise<(string | null)[]>> = {
  login: async (world) => {
    const caller = new Caller(t.url, world.person.account);
    const { body } = expectStatus(await caller.login(), 200);
    return [await completed(world, caller, body.challengeToken)];
  },
  verifyTwoFactor: (world) => WAYS.login?.(world) ?? Promise.resolve([]),
  // Also with the replaced cookie, in its grace period.
  refresh: async ({ person }) => {
    const stale = sameBrowser(person);
    const callers = [person, stale];
    const tokens = [];
    for (const caller of callers) tokens.push(expectStatus(await caller.refresh(), 200).body.accessToken);
    return tokens;
  },
  switchOrganization: async ({ person, connections }) => {
    const tokens = [];
    for (const { organization } of connections) {
      const switched = await person.post("/api/auth/organization", { organizationId: organization.id });
      tokens.push(switched.status === 200 ? switched.body.accessToken : null);
      const { sid, sub } = claimsOf(person.accessToken ?? "");
      const [member] = await t.sql(
        "SELECT FROM memberships WHERE organization_id = $1 AND user_id = $2 AND NOT is_deleted",
        [organization.id, sub],
      );
      const may = member !== undefined && (await mayActUntil(sid, sub, organization.id)) !== null;
      expect([outcome(switched), switched.status === 200]).toEqual([outcome(switched), may]);
    }
    return tokens;
  },
  signInWithPasskey: async ({ person, factor }) => {
    if (factor !== null) return [];
    const again = new Caller(t.url, person.account);
    if ((await again.login()).body.accessToken === undefined) return [];
    const { authenticator } = await withPasskey(again);
    const response = await signInByPasskey(new Caller(t.url), authenticator);
    await t.sql("DELETE FROM passkeys WHERE user_id = $1", [idOf(person)]);
    await t.sql("UPDATE users SET two_factor_enabled_at = NULL WHERE id = $1", [idOf(person)]);
    return [response.body.accessToken ?? null];
  },
  finishProviderSignIn: async (world) => {
    const visitor = browser(t, oidc);
    const { token, challenge } = await visitor.signIn(world.subject);
    return [token ?? (await completed(world, visitor.caller, challenge))];
  },
  finishConnectionSignIn: async (world) => {
    const tokens = [];
    for (const connection of world.connections) {
      const visitor = browserAt(t, connection, chance(0.5) ? world.person : undefined);
      const response = await visitor.get(`/api/auth/sso/${connection.id}`);
      const url = response.headers.get("location") ?? "";
      if (!url.startsWith(provider.issuer)) continue;
      const told = somebody(connection, { sub: `${world.subject}-sso`, email: world.person.email });
      const { token, challenge } = await visitor.finish(provider.visit(url, told));
      tokens.push(token ?? (challenge ? await completed(world, visitor.caller, challenge) : null));
    }
    return tokens;
  },
};

test("the ways to a token are the routes of the document that return one", () => {
  const routes = definitions.filter(returnsToken).map(({ operationId }) => operationId);
  expect(routes.sort()).toEqual(Object.keys(WAYS).sort());
});

test("no route returns a token for an organization in which its session is not proven", async () => {
  const reached = new Map<string, number>();
  const hasReachedAll = () => reached.size === Object.keys(WAYS).length;
  // Goes on until each way has led into an organization; otherwise the property would hold because nothing works.
  for (let round = 0; round < ROUNDS || (!hasReachedAll() && round < 100); round += 1) {
    const world = await randomWorld();
    for (const [route, go] of Object.entries(WAYS)) {
      await shuffleProofs(world);
      for (const token of await go(world))
        if (token !== null && (await assertProven(route, token)) !== null)
          reached.set(route, (reached.get(route) ?? 0) + 1);
    }
  }
  expect(hasReachedAll()).toBe(true);
}, 240_000);
