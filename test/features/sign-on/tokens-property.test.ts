import { beforeAll, expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import fc from "fast-check";
import { exactlyOne } from "../../../src/platform/db/prepared-query.ts";
import { signIn, withPasskey } from "../../support/authenticator.ts";
import { type ApiResponse, Caller } from "../../support/caller.ts";
import { claims } from "../../support/claims.ts";
import { Browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { ROUNDS } from "../../support/race.ts";
import { definitions, schemaOf } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { sameBrowser } from "../../support/sessions.ts";
import { addBreakGlass, SIGN_ON } from "../../support/sign-on.ts";
import {
  inEffect,
  isAffected,
  type OwnProof,
  verdict,
  type World,
  worldOf,
} from "../../support/sign-on-model.ts";
import { allowSlowTests, TEST_TIMEOUT_MS } from "../../support/slow-tests.ts";
import { browserAt, type Connection, connect } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";
import { verify, withTwoFactor } from "../../support/two-factor.ts";

/*
 * Property test: members of the same organizations, with random policies, connections, identities, domains, break-glass members and
 * proofs. By every route that returns a token, it is of the organization that the model in support/sign-on-model.ts says, and lasts no
 * longer than what allows it.
 */

allowSlowTests();
const oidc = await startOidc();
const provider = await SsoProvider.start();
const t = await startService({
  ...SIGN_ON,
  ...withProviders(oidc),
  THROTTLE_LIMIT: "100000",
  MAX_ACTIVE_SESSIONS_PER_USER: "100",
});
const PLACES = 3;

/** A person with a session, and the ways in which the person signs in: each returns the factors that it proves. */
type Account = {
  person: Caller;
  hasFactor: boolean;
  ways: ((browser: Caller) => Promise<1 | 2>)[];
  /** Completes the challenge of an account with two-factor authentication. */
  complete?: (browser: Caller, challengeToken: string | undefined) => Promise<void>;
};
const places: Connection[] = [];
let accounts: Account[];

/** How the test gets a token by each route of the document that returns one. */
const WAYS = [
  "login",
  "verifyTwoFactor",
  "signInWithPasskey",
  "finishProviderSignIn",
  "finishConnectionSignIn",
  "refresh",
  "switchOrganization",
];

test("the property below goes by every route of the document that returns a token", () => {
  const returnsToken = ({ responses }: (typeof definitions)[number]) => {
    const schema = schemaOf(responses[200]);
    const body = schema && JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any" }));
    return (
      body?.includes('"accessToken"') || JSON.stringify(responses[302]?.headers ?? {}).includes("#token")
    );
  };
  const found = definitions.filter(returnsToken).map(({ operationId }) => operationId);
  expect(found.sort()).toEqual(WAYS.toSorted());
});

const byPassword = async (browser: Caller) => {
  expectStatus(await browser.login(), 200);
  return 1 as const;
};

beforeAll(async () => {
  for (let place = 0; place < PLACES; place += 1)
    places.push(await connect(t, await createOrganization(t), provider));
  const plain = await t.person();
  const subject = oidc.person();
  await new Browser(oidc, plain).link(subject);
  const byProvider = async (browser: Caller) => {
    expect((await new Browser(oidc, browser).signIn(subject)).token).toBeString();
    return 1 as const;
  };
  const factor = await withTwoFactor(t);
  const complete = async (browser: Caller, challengeToken: string | undefined) => {
    await factor.rewind();
    expectStatus(await verify(browser, { challengeToken, code: factor.code() }), 200);
  };
  const byCode = async (browser: Caller) => {
    await complete(browser, expectStatus(await browser.login(), 200).body.challengeToken);
    return 2 as const;
  };
  const { person: keyed, authenticator } = await withPasskey(await t.person());
  const byPasskey = async (browser: Caller) => {
    expectStatus(await signIn(browser, authenticator), 200);
    return 2 as const;
  };
  accounts = [
    { person: plain, hasFactor: false, ways: [byPassword, byProvider] },
    { person: factor.person, hasFactor: true, ways: [byCode], complete },
    { person: keyed, hasFactor: true, ways: [byPassword, byPasskey] },
  ];
  for (const { person } of accounts)
    for (const [place, { organization }] of places.entries()) {
      await organization.add(person, { role: "MEMBER" });
      await t.sql("INSERT INTO account_emails (email, user_id, used_until) VALUES ($1, $2, now())", [
        ...[`${crypto.randomUUID()}@${domainOf(person, place)}`, idOf(person)],
      ]);
    }
});
const domainOf = (person: Caller, place: number) => `p${place}-${idOf(person).slice(-12)}.com`;

/** Makes the database what the world says for a person. */
async function build({ places: worlds, own }: World, person: Caller): Promise<void> {
  const userId = idOf(person);
  const { sid } = claims(person);
  await t.sql("DELETE FROM session_proofs WHERE session_id = $1", [sid]);
  for (const [nth, world] of worlds.entries()) {
    const { organization, id: connectionId } = places[nth] as Connection;
    const { policy, announced, connection, identity, domain, isBreakGlass, shown } = world;
    const of = [organization.id];
    for (const table of ["sign_on_policies", "break_glass_members", "organization_domains"])
      await t.sql(`DELETE FROM ${table} WHERE organization_id = $1`, of);
    await t.sql("DELETE FROM sso_identities WHERE connection_id = $1", [connectionId]);
    if (policy !== null)
      await t.sql(
        `INSERT INTO sign_on_policies (organization_id, scope, require_two_factor, max_session_hours, announced_scope, announced_two_factor, enforce_from)
         VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))`,
        [
          ...[organization.id, policy.scope, policy.twoFactor, policy.hours],
          ...[announced?.scope ?? null, announced?.twoFactor ?? null],
          announced && (announced.isInEffect ? -1 : 1),
        ],
      );
    await t.sql("UPDATE sso_connections SET status = $2, second_factor = $3 WHERE id = $1", [
      ...[connectionId, connection.status, connection.isTrusted ? "trusted" : "own"],
    ]);
    if (identity !== null)
      await t.sql(
        `INSERT INTO sso_identities (connection_id, user_id, subject, email, linked_at)
         VALUES ($1, $2, 'x', 'x@example.com', now() - make_interval(hours => $3))`,
        [connectionId, userId, identity === "before" ? 1000 : 0],
      );
    if (domain !== null)
      await t.sql(
        "INSERT INTO organization_domains (organization_id, domain, value, status, verified_at) VALUES ($1, $2, 'x', $3, CASE WHEN $3 <> 'PENDING' THEN now() END)",
        [organization.id, domainOf(person, nth), domain],
      );
    if (isBreakGlass) await addBreakGlass(t, organization, person);
    if (shown !== null) await prove(person, { ...shown, kind: "sso", connectionId });
  }
  if (own !== null) await prove(person, { ...own, kind: "password", connectionId: null });
}
const prove = (person: Caller, proof: OwnProof & { kind: string; connectionId: string | null }) =>
  t.sql(
    `INSERT INTO session_proofs (session_id, user_id, kind, connection_id, factors, proved_at)
     VALUES ($1, $2, $3, $4, $5, now() - make_interval(mins => $6))`,
    [claims(person).sid, idOf(person), proof.kind, proof.connectionId, proof.factors, proof.minutesAgo],
  );

/** The organization in which the session is, or in which a sign-in begins. */
const preferred = async (person: Caller, sessionId: string | null) =>
  exactlyOne(
    await t.sql<{ id: string | null }>(
      `SELECT COALESCE((SELECT organization_id FROM refresh_tokens WHERE session_id = $2 AND revoked_at IS NULL), last_organization_id) AS id
       FROM users WHERE id = $1`,
      [idOf(person), sessionId],
    ),
  ).id;

type Held = { world: World; own: OwnProof | null; hasFactor: boolean };
const verdictsOf = ({ world, own, hasFactor }: Held) =>
  world.places.map((place, nth) => ({
    id: places[nth]?.organization.id ?? "",
    wasShown: place.shown !== null,
    ...verdict(place, own, hasFactor),
  }));

/** Compares the token that a caller got with the model. */
function expectToken(caller: Caller, held: Held, wanted: string | null): void {
  const allowed = verdictsOf(held).filter(({ code }) => code === null);
  const expected = allowed.find(({ id }) => id === wanted) ?? allowed[0];
  const { organization, confined = false, exp } = claims(caller);
  expect([organization?.id ?? null, confined]).toEqual([expected?.id ?? null, held.own === null]);
  const minutesLeft = expected?.minutesLeft ?? Number.POSITIVE_INFINITY;
  expect(exp - Date.now() / 1000).toBeLessThan(minutesLeft * 60);
}

const codeOf = ({ status, body }: ApiResponse): string | null => (status === 200 ? null : body.code);

async function check(world: World, account: Account, nth: number): Promise<void> {
  const { person, hasFactor, ways } = account;
  await build(world, person);
  const held = { world, own: world.own, hasFactor };
  const replaced = sameBrowser(person);
  const wanted = await preferred(person, claims(person).sid);
  expectStatus(await person.refresh(), 200);
  expectToken(person, held, wanted);
  expectStatus(await replaced.refresh(), 200);
  expectToken(replaced, held, claims(person).organization?.id ?? null);

  const verdicts = verdictsOf(held);
  const rows = expectStatus(await person.get("/api/auth/organizations"), 200).body;
  const listed = verdicts.filter(({ wasShown }) => world.own !== null || wasShown);
  expect(
    Object.fromEntries(rows.map(({ id, blockedBy }: { id: string; blockedBy: string }) => [id, blockedBy])),
  ).toEqual(Object.fromEntries(listed.map(({ id, code }) => [id, code])));
  for (const { id, code, wasShown } of verdicts) {
    const answer = await person.post("/api/auth/organization", { organizationId: id });
    const isHidden = world.own === null && !wasShown;
    expect(codeOf(answer)).toBe(isHidden ? "REAUTHENTICATION_REQUIRED" : code);
    if (answer.status === 200) expectToken(person, held, id);
  }
  for (const way of ways) {
    const browser = new Caller(t.url, person.account);
    const begins = await preferred(person, null);
    const own = { factors: await way(browser), minutesAgo: 0 };
    const fresh = { ...world, places: world.places.map((place) => ({ ...place, shown: null })) };
    expectToken(browser, { world: fresh, own, hasFactor }, begins);
  }
  await expectConnection(world, account, nth);
  await expectAffected(world, account);
}

/** Signs in by the connection of one organization: a person who is linked comes in, proven there alone. */
async function expectConnection(world: World, { person, hasFactor, complete }: Account, nth: number) {
  const [acme, place] = [places[nth] as Connection, world.places[nth] as World["places"][number]];
  const browser = browserAt(t, acme, new Caller(t.url, person.account));
  const url = (await browser.get(`/api/auth/sso/${acme.id}`)).headers.get("location") ?? "";
  expect(url.startsWith(provider.issuer)).toBe(place.connection.status === "ENABLED");
  if (place.connection.status !== "ENABLED") return;
  const told = await browser.finish(provider.visit(url, { sub: "x", email: "x@example.com" }));
  if (place.identity === null) return expect(told).toEqual({ error: "DOMAIN_MISMATCH" });
  const isChallenged = complete !== undefined && !place.connection.isTrusted;
  expect(Object.keys(told)).toEqual(isChallenged ? ["challenge", "methods"] : ["token"]);
  if (isChallenged) await complete(browser.caller, told.challenge);
  const factors = isChallenged || place.connection.isTrusted ? 2 : 1;
  const entered = { ...place, identity: "before" as const, shown: { factors, minutesAgo: 0 } as const };
  const fresh = world.places.map((other, at) => (at === nth ? entered : { ...other, shown: null }));
  expectToken(
    browser.caller,
    { world: { places: fresh, own: null }, own: null, hasFactor },
    acme.organization.id,
  );
}

/** Whoever is on the list of those who could not act cannot, whatever they prove, and whoever is not on it can. */
async function expectAffected({ places: worlds }: World, { person, hasFactor }: Account) {
  for (const [nth, place] of worlds.entries()) {
    const { scope, twoFactor } = inEffect(place);
    const query = `?scope=${scope}&requireTwoFactor=${twoFactor}&pageSize=100`;
    const { admin } = (places[nth] as Connection).organization;
    const { data } = expectStatus(await admin.get(`/api/organization/sign-on/affected${query}`), 200).body;
    const isListed = data.some(({ userId }: { userId: string }) => userId === idOf(person));
    expect(isListed).toBe(isAffected(place, hasFactor));
  }
}

test("by every route, a token is of an organization in which the session is proven, and lasts no longer than its proofs", () =>
  fc.assert(
    fc.asyncProperty(worldOf(PLACES), fc.nat({ max: 2 }), fc.nat({ max: PLACES - 1 }), (world, who, nth) =>
      check(world, accounts[who] as Account, nth),
    ),
    { numRuns: 15 * ROUNDS, interruptAfterTimeLimit: TEST_TIMEOUT_MS - 10_000, endOnFailure: true },
  ));
