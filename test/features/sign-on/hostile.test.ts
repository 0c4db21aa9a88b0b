import { expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { generateKeyPair, type JWTPayload } from "jose";
import { connectionCipher } from "../../../src/features/sign-on/secrets.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { browserAt, type Connection, connect, signedInBy, somebody } from "../../support/sso.ts";
import { SsoProvider } from "../../support/sso-provider.ts";

const provider = await SsoProvider.start();
const other = await SsoProvider.start();
const t = await sharedService();
const acme = await connect(t, await createOrganization(t), provider);
const SECRET = "a secret of 32 characters or more, of the client";
const now = () => Math.floor(Date.now() / 1000);

/** Signs in while the provider answers as `lie` arranges; returns what the browser gets. */
async function whileLying(lie: () => void, connection: Connection = acme) {
  const told = somebody(connection);
  const browser = browserAt(t, connection);
  lie();
  try {
    const outcome = await browser.signIn(told);
    expect(await t.sql("SELECT FROM users WHERE email = $1", [told.email])).toEqual([]);
    return outcome;
  } finally {
    connection.provider.claims = null;
    connection.provider.token = null;
    connection.provider.instead = null;
    connection.provider.userinfo = null;
    connection.provider.responseIssuer = connection.provider.issuer;
  }
}
const REFUSED = { error: "PROVIDER_ERROR" };
const changed = (change: (claims: JWTPayload) => JWTPayload) => () => {
  provider.claims = change;
};
const { privateKey: oldKey } = await generateKeyPair("RS256");
const unsigned = (claims: JWTPayload) =>
  [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

const LIES: Record<string, () => void> = {
  "another issuer": changed((claims) => ({ ...claims, iss: other.issuer })),
  "the issuer with a slash": changed((claims) => ({ ...claims, iss: `${provider.issuer}/` })),
  "another audience": changed((claims) => ({ ...claims, aud: "somebody-else" })),
  "another nonce": changed((claims) => ({ ...claims, nonce: "another" })),
  "no nonce": changed(({ nonce: _, ...claims }) => claims),
  "no subject": changed(({ sub: _, ...claims }) => claims),
  "an expired token": changed((claims) => ({ ...claims, iat: now() - 900, exp: now() - 600 })),
  "another's key": () => {
    provider.token = (claims) => provider.sign(claims, oldKey);
  },
  "alg none": () => {
    provider.token = (claims) => `${unsigned(claims)}.`;
  },
  "no ID token": () => {
    provider.instead = (path) =>
      path === "/token" ? Response.json({ access_token: "x", token_type: "Bearer", expires_in: 60 }) : null;
  },
  "the issuer of another connection in the response": () => {
    provider.responseIssuer = other.issuer;
  },
  "an error page": () => {
    provider.instead = (path) => (path === "/token" ? new Response("<html>", { status: 500 }) : null);
  },
  "a redirect of the token endpoint": () => {
    provider.instead = (path) => (path === "/token" ? Response.redirect(`${other.issuer}/token`, 307) : null);
  },
  "two megabytes": () => {
    provider.instead = (path) =>
      path === "/token" ? Response.json({ id_token: "x".repeat(2_000_000) }) : null;
  },
};
for (const [name, lie] of Object.entries(LIES))
  test(`an answer with ${name} is refused`, async () => {
    const before = other.calls.length;
    expect(await whileLying(lie)).toEqual(REFUSED);
    expect(other.calls.slice(before)).toEqual([]);
  });

test("an ID token that is signed by the client's secret is refused", async () => {
  const connection = await connect(t, await createOrganization(t), provider);
  const sealed = connectionCipher(t.running.app).encrypt(SECRET);
  await t.sql("UPDATE sso_connections SET client_secret = $2 WHERE id = $1", [connection.id, sealed]);
  const lie = () => {
    provider.token = (claims) => provider.sign(claims, new TextEncoder().encode(SECRET), "HS256");
  };
  expect(await whileLying(lie, connection)).toEqual(REFUSED);
  await signedInBy(t, connection, somebody(connection));
});

test("the code of another flow is refused, also of the same provider", async () => {
  const [mine, theirs] = [browserAt(t, acme), browserAt(t, acme)];
  const [back, foreign] = [
    provider.visit(await mine.begin(), somebody(acme)),
    provider.visit(await theirs.begin(), somebody(acme)),
  ];
  const swapped = new URL(back);
  swapped.searchParams.set("code", new URL(foreign).searchParams.get("code") ?? "");
  expect(await mine.finish(swapped.href)).toEqual(REFUSED);
});

test("another subject at userinfo is refused; the same one is asked only without an address in the ID token", async () => {
  const bare = somebody(acme);
  const { email: _, ...withoutEmail } = bare;
  expect(
    await whileLying(() => {
      provider.claims = ({ email: _, ...claims }) => claims;
      provider.userinfo = { ...bare, sub: "somebody-else" };
    }),
  ).toEqual(REFUSED);
  provider.userinfo = bare;
  await signedInBy(t, acme, withoutEmail);
  const other = somebody(acme);
  provider.userinfo = other;
  await signedInBy(t, acme, { ...other, email: null });
  provider.userinfo = null;
  const before = provider.calls.length;
  await signedInBy(t, acme, somebody(acme));
  expect(provider.calls.slice(before)).not.toContain("/userinfo");
});

test("a wrong secret is CLIENT_REFUSED for administrators and PROVIDER_ERROR for the browser", async () => {
  const refused = () => {
    provider.instead = (path) =>
      path === "/token" ? Response.json({ error: "invalid_client" }, { status: 401 }) : null;
  };
  expect(await whileLying(refused)).toEqual(REFUSED);
  const [row] = await t.sql("SELECT last_error_code, failures FROM sso_connections WHERE id = $1", [acme.id]);
  expect(row?.last_error_code).toBe("CLIENT_REFUSED");
  expect(row?.failures).toBeGreaterThan(0);
  const failed = await eventsIn(t, acme.organization, "SSO_SIGN_IN_FAILED");
  expect(failed.at(-1)?.metadata).toEqual({ connectionId: acme.id, email: null, reason: "client_refused" });
  await signedInBy(t, acme, somebody(acme));
  const [after] = await t.sql("SELECT failures FROM sso_connections WHERE id = $1", [acme.id]);
  expect(after?.failures).toBe(0);
});

/** A server that takes connections and answers as `reply` says, or not at all. */
async function rawServer(reply: (socket: Socket) => void): Promise<{ issuer: string; server: Server }> {
  const server = createServer(reply);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  return { issuer: `http://127.0.0.1:${port}`, server };
}

test("a provider that hangs or sends informational responses for ever ends in PROVIDER_ERROR; meanwhile others sign in, and no connection of the database is held", async () => {
  const held = new Set<Socket>();
  const hanging = await rawServer((socket) => held.add(socket));
  const chatty = await rawServer((socket) => {
    held.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      for (let count = 0; count < 1_000; count += 1) socket.write("HTTP/1.1 103 Early Hints\r\n\r\n");
    });
  });
  const narrow = await startService({ DATABASE_POOL_SIZE: "4" }, { databaseUrl: t.databaseUrl });
  const quick = await connect(narrow, await createOrganization(narrow), provider);
  const starts = [];
  for (const { issuer } of [hanging, chatty]) {
    const slow = await connect(narrow, await createOrganization(narrow), provider, { issuer });
    for (let count = 0; count < 8; count += 1)
      starts.push(browserAt(narrow, slow).get(`/api/auth/sso/${slow.id}`));
  }
  const waiting = Promise.all(starts);
  let isOver = false;
  void waiting.then(() => {
    isOver = true;
  });
  for (let count = 0; count < 3; count += 1) await signedInBy(narrow, quick, somebody(quick));
  expectStatus(await narrow.anonymous().get("/api/health/ready"), 200);
  expect(isOver).toBe(false);
  const open = await narrow.sql(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
  );
  expect(open).toEqual([]);
  for (const response of await waiting)
    expect(response.headers.get("location")).toEndWith("#error=PROVIDER_ERROR");
  for (const socket of held) socket.destroy();
  for (const { server } of [hanging, chatty]) server.close();
}, 60_000);

test("what the provider sent, its tokens and codes are in no audit event, and in the database only where they belong", async () => {
  const group = `group-${crypto.randomUUID()}`;
  const told = somebody(acme, { groups: [group] });
  const browser = browserAt(t, acme);
  const back = provider.visit(await browser.begin(), told);
  await browser.finish(back);
  const code = new URL(back).searchParams.get("code") ?? "";
  const written = await t.sql(
    `SELECT * FROM audit_events
     WHERE organization_id = $1 OR actor_id = (SELECT id FROM users WHERE email = $2)`,
    [acme.organization.id, told.email],
  );
  expect(written).not.toEqual([]);
  const events = JSON.stringify(written);
  for (const secret of [code, group, told.sub]) expect(events).not.toContain(secret);
});
