import { newApiKey } from "../../../../src/core/access/token-forms.ts";
import { newSecret, webhookCipher } from "../../../../src/features/webhooks/secret.ts";
import type { SoftAuthenticator } from "../../../support/authenticator.ts";
import { Caller, claimsOf } from "../../../support/caller.ts";
import { report } from "../../../support/helpdesk.ts";
import { pngWith } from "../../../support/images.ts";
import { Rows } from "../../../support/rows.ts";
import { expectStatus, type Service } from "../../../support/service.ts";
import { confine } from "../../../support/sign-on.ts";
import { addCallers, passwordOf } from "./accounts.ts";
import { type Apps, addApps } from "./apps.ts";
import {
  APPS,
  CALLERS,
  type CallerName,
  hasAccount,
  MACHINES,
  ORGANIZATIONS,
  type OrganizationName,
} from "./callers.ts";
import { readClaimsOfKey } from "./claims.ts";
import { addOrganization, type OrganizationFixture } from "./organization.ts";
import { addPasskeys } from "./passkeys.ts";
import type { Receiver } from "./receiver.ts";
import { addSignOn, addTests, forEachOrganization, LINKED, link, type SignOn } from "./sign-on.ts";
import { addTokens } from "./tokens.ts";

/** The data that the requests of a case refer to. */
export type Fixture = {
  callers: Record<CallerName, Caller>;
  organizations: Record<OrganizationName, OrganizationFixture>;
  signOn: Record<OrganizationName, SignOn>;
  /** Whether the session of the caller `confined` is proven by a connection of `own` alone. */
  isConfined: boolean;
  /** Whether the policy of `other` still binds the caller `bound`, who has not signed in by its connection. */
  isBound: boolean;
  /** The organization of each inserted record. */
  organizationById: Map<string, OrganizationName>;
  /** The account of each caller. */
  userIds: Record<CallerName, string>;
  emails: string[];
  tokens: string[];
  challenges: string[];
  /** The addresses of the receiver of webhooks and of the provider of connections. */
  receiverUrl: string;
  issuer: string;
  /**
   * The API keys that an unauthenticated caller may report as leaked: those of the organization `own`, and unknown
   * ones.
   */
  strayKeys: string[];
  /** What requests of apps refer to. */
  apps: Apps;
  /** The secrets of authenticator apps that callers are setting up. */
  secrets: Map<CallerName, string>;
  /** Parameters of the sign-in callback, after a caller has signed in at a provider. */
  providerVisits: Map<CallerName, { code: string; state: string; iss: string; cookie: string }>;
  /** The passkey of each caller that has one. */
  authenticators: Map<CallerName, SoftAuthenticator>;
  /** What a caller sends next: the challenge and the response of a passkey, and the link of a change of email. */
  ceremonies: Map<CallerName, { challengeToken: string; response: unknown }>;
  links: Map<CallerName, string>;
  /** Search terms: numbers of tickets, slugs and emails of all organizations. */
  ticketNumbers: string[];
  searchTerms: string[];
  /** Ids that earlier responses contained. */
  recordedIds: { kind: string; id: string; caller: CallerName }[];
};

/**
 * Inserts four organizations and signs in a caller of every role. All cases have the same data except for ids. The
 * data is inserted by SQL, because a run needs a thousand fixtures.
 */
export async function createFixture(
  t: Service,
  receiver: Pick<Receiver, "url">,
  { issuer }: { issuer: string },
): Promise<Fixture> {
  const rows = new Rows();
  const organizations = Object.fromEntries(
    ORGANIZATIONS.map((name) => {
      const secret = webhookCipher(t.running.app).encrypt(newSecret());
      return [name, addOrganization(rows, name, { url: receiver.url, secret })];
    }),
  ) as Fixture["organizations"];
  const unique = crypto.randomUUID().slice(0, 13);
  const signOn = forEachOrganization((name) =>
    addSignOn(rows, organizations[name], { name, unique, issuer }),
  );
  const domains: Partial<Record<CallerName, string>> = {
    joiner: signOn.own.domain,
    bound: signOn.other.domain,
  };
  const emailOf = (name: CallerName) =>
    name === "anonymous" ? "" : `${name.toLowerCase()}-${unique}@${domains[name] ?? "example.com"}`;
  const fixture: Fixture = {
    callers: Object.fromEntries(
      CALLERS.map((name) => [name, new Caller(t.url, { email: emailOf(name), password: passwordOf(name) })]),
    ) as Fixture["callers"],
    ...{ organizations, signOn, issuer, isConfined: true, isBound: true },
    organizationById: new Map(
      ORGANIZATIONS.flatMap((name) =>
        Object.values(organizations[name].ids).flatMap((ids) => ids.map((id) => [id, name] as const)),
      ),
    ),
    userIds: {} as Fixture["userIds"],
    emails: [...ORGANIZATIONS.flatMap((name) => organizations[name].emails), ...CALLERS.map(emailOf)],
    tokens: [],
    challenges: [],
    receiverUrl: receiver.url,
    strayKeys: [newApiKey("mosk"), newApiKey("mosk"), newApiKey("mosk"), "mosk_short"],
    apps: { queries: [], requests: new Map(), credentials: [] },
    secrets: new Map(),
    providerVisits: new Map(),
    ...{ authenticators: new Map(), ceremonies: new Map(), links: new Map() },
    ...{ ticketNumbers: [], searchTerms: [] },
    recordedIds: [],
  };
  fixture.userIds = addCallers(rows, fixture);
  const { orgAdmin, stranger } = fixture.userIds;
  addTests(rows, t, organizations.own, signOn.own, orgAdmin);
  addTests(rows, t, organizations.other, signOn.other, stranger);
  for (const name of ["own", "other"] as const)
    for (const id of organizations[name].ids.test ?? []) fixture.organizationById.set(id, name);
  for (const [at, name] of LINKED)
    link(rows, organizations[at], signOn[at].enabled, fixture.userIds[name], fixture.callers[name].email);
  addTokens(rows, t, fixture, unique);
  addApps(rows, fixture, { apiUrl: t.running.app.config.apiUrl, unique });
  addPasskeys(rows, fixture);
  await rows.insert(t);
  await deleteRecords(t, fixture);
  await signIn(t, fixture);
  return fixture;
}

/** Deletes the records that nobody may see, and reads the numbers of the tickets. */
async function deleteRecords(t: Service, { organizations, ticketNumbers, searchTerms, emails }: Fixture) {
  const all = Object.values(organizations);
  const deleted = all
    .flatMap(({ toDelete }) => toDelete)
    .map(({ table, id }) => `UPDATE ${table} SET is_deleted = true, deleted_at = now() WHERE id = '${id}'`);
  await t.sql(deleted.join(";\n"));
  const tickets = await t.sql<{ number: number }>("SELECT number FROM tickets WHERE id = ANY ($1)", [
    all.flatMap(({ ids }) => ids.ticket ?? []),
  ]);
  const numbers = [...tickets.map(({ number }) => String(number)), "0", "2147483648", "9".repeat(25)];
  ticketNumbers.push(...numbers.map((number) => `#${number}`));
  searchTerms.push(...all.map(({ slug }) => slug), ...emails);
}

/** Signs in all callers. Afterwards removes, deletes or suspends some of them, so that their tokens are outdated. */
async function signIn(t: Service, fixture: Fixture) {
  const { callers, organizations, signOn, recordedIds, organizationById, userIds } = fixture;
  // The person acted there last, so every token would be of that organization if its policy did not bind the person.
  const last = [organizations.other.id, userIds.bound];
  await t.sql("UPDATE users SET last_organization_id = $1 WHERE id = $2", last);
  await Promise.all(
    CALLERS.filter(hasAccount).map(async (name) => {
      await callers[name].login();
      recordedIds.push({ kind: "session", id: claimsOf(callers[name].accessToken ?? "").sid, caller: name });
    }),
  );
  for (const name of [...MACHINES, ...APPS]) await readClaimsOfKey(t.url, callers[name].accessToken ?? "");
  callers.setter.accessToken = signOn.own.setupToken;
  await confine(t, callers.confined, signOn.own.enabled);
  expectStatus(await callers.confined.refresh(), 200);
  const ticket = await report(callers.member, {}, [pngWith()]);
  const image = ticket.messages[0]?.attachments[0]?.id ?? "";
  organizations.own.ids.attachment = [image];
  for (const id of [ticket.id, image]) organizationById.set(id, "own");
  recordedIds.push({ kind: "ticket", id: ticket.id, caller: "member" });
  const { suspended } = organizations;
  for (const [change, id] of [
    ["organizations SET status = 'SUSPENDED' WHERE id = $1", suspended.id],
    ["memberships SET is_deleted = true, deleted_at = now() WHERE user_id = $1", userIds.removed],
    ["users SET is_deleted = true, deleted_at = now() WHERE id = $1", userIds.deleted],
    ["users SET two_factor_enabled_at = now() WHERE id = $1", userIds.secondFactor],
  ])
    await t.sql(`UPDATE ${change}`, [id]);
}
