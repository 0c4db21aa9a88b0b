import * as accounts from "#sql/accounts";
import * as organizations from "#sql/organizations";
import * as people from "#sql/people/accounts";
import * as units from "#sql/units";
import * as users from "#sql/users";
import { builtInRoles, MEMBER } from "../core/access/catalog.ts";
import { addMember } from "../core/accounts/memberships.ts";
import { type Service, systemCall, type Tx } from "../core/context.ts";
import { startTrial } from "../features/organizations/plan.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import { transaction } from "../platform/db/transaction.ts";
import { type Language, toStored } from "../platform/i18n/languages.ts";
import { insertHistory } from "./demo-history.ts";
import {
  DEMO_AUTHENTICATOR,
  type DemoProvider,
  moveProvider,
  plantAcmeDomain,
  plantSignOn,
} from "./demo-sign-on.ts";
import { moveReceiver, plantWebhooks } from "./demo-webhooks.ts";

export const DEMO_PASSWORD = "demo password";

type Account = { email: string; firstName: string; lastName: string; language: Language };

const person = (name: string, firstName: string, lastName: string, language: Language = "en"): Account => ({
  email: `${name}@demo.example`,
  firstName,
  lastName,
  language,
});

const root = person("root", "Rhea", "Root");
const ada = person("ada", "Ada", "Lovelace");
const uma = person("uma", "Uma", "Unger");
const bob = person("bob", "Bob", "Below");
const mia = person("mia", "Mia", "Member");
const nikos = person("nikos", "Νίκος", "Παπαδόπουλος", "el");
const eve = person("eve", "Eve", "Elsewhere");
const gina = person("gina", "Gina", "Globe");

/** Units by name, each with its sub-units. */
type Tree = { [name: string]: Tree };

type Organization = {
  name: string;
  slug: string;
  units: Tree;
  /** The roles of each member, as `ROLE` or `ROLE@unit`. */
  members: [Account, ...string[]][];
  /** Whether the organization has a history of 90 days. */
  hasHistory?: boolean;
};

const ACME: Organization = {
  name: "Acme",
  slug: "acme",
  hasHistory: true,
  units: { Europe: { Athens: { Support: {} }, Berlin: {} }, America: { Boston: {} } },
  members: [
    [ada, "ORG_ADMIN"],
    [uma, "UNIT_ADMIN@Europe"],
    [bob, "UNIT_ADMIN@Athens", "MEMBER@Boston"],
    [mia, "MEMBER", "MEMBER@Support"],
    [nikos, "MEMBER"],
  ],
};

const HELLAS: Organization = {
  name: "Ελλάς Ναυτιλία",
  slug: "ellas-naytilia",
  units: { Πειραιάς: { Λιμάνι: { Ρυμουλκά: {} } }, Σύρος: {} },
  members: [
    [nikos, "ORG_ADMIN"],
    [ada, "MEMBER@Σύρος"],
  ],
};

const GLOBEX: Organization = {
  name: "Globex",
  slug: "globex",
  units: { Athens: {}, Oslo: {} },
  members: [[gina, "ORG_ADMIN"]],
};

/** The demo accounts. */
export const demoAccounts: (Account & { about: string })[] = [
  { ...root, about: "platform administrator" },
  { ...ada, about: "administers Acme, member of Ελλάς Ναυτιλία" },
  { ...uma, about: "administers Europe and all below it in Acme" },
  { ...bob, about: "administers Athens, works in Boston" },
  { ...mia, about: "member of Acme, works in Support" },
  { ...nikos, about: "administers Ελλάς Ναυτιλία, member of Acme, Greek" },
  { ...eve, about: "belongs nowhere" },
  { ...gina, about: `administers Globex, second factor ${DEMO_AUTHENTICATOR}` },
];

/** The demo accounts with their password, for the sign-in page in development. */
export const demoJson = (): string =>
  JSON.stringify({
    password: DEMO_PASSWORD,
    accounts: demoAccounts.map(({ email, about }) => ({ email, about })),
  });

/** The users of the mock identity provider; each leads to another outcome of a sign-in. */
export const demoProviderProfiles = new Map<string, Record<string, unknown>>([
  ["grace", { name: "Grace Hopper", email: "grace@provider.example", email_verified: true }],
  ["eleni", { name: "Ελένη Γραμμένου", email: "eleni@provider.example", email_verified: true, locale: "el" }],
  ["ulf", { name: "Ulf Unverified", email: "ulf@provider.example", email_verified: false }],
  ["ada", { name: "Ada Lovelace", email: ada.email, email_verified: true }],
]);

/** What the demo data refers to: the URL to which Acme's events are sent, and the provider of Globex (null without single sign-on). */
type Addresses = { receiverUrl: string; provider: DemoProvider | null };

/** Creates the demo accounts and organizations that are missing. Does not change existing ones. */
export async function seedDemoData(service: Service, addresses: Addresses): Promise<void> {
  const call = systemCall(service);
  for (const account of demoAccounts) {
    const [found] = await people.findUserByEmail.run({ email: account.email }, call.db);
    if (found !== undefined) continue;
    const passwordHash = await service.app.hasher.hash(DEMO_PASSWORD);
    await transaction(call, (tx) => plantAccount(tx, account, passwordHash));
  }
  for (const organization of [ACME, HELLAS, ...(addresses.provider === null ? [] : [GLOBEX])])
    await transaction(call, (tx) => plantOrganization(tx, organization, addresses));
  await transaction(call, (tx) => moveReceiver(tx, addresses.receiverUrl));
  const { provider } = addresses;
  if (provider !== null) await transaction(call, (tx) => moveProvider(tx, provider));
}

async function plantAccount(tx: Tx, account: Account, passwordHash: string): Promise<void> {
  const { email, firstName, lastName, language } = account;
  const details = { email, firstName, lastName, passwordHash, language: toStored(language) };
  const [user] = await accounts.insertUser.run(details, tx.db);
  if (user === undefined) return;
  await accounts.markEmailVerified.run({ id: user.id }, tx.db);
  if (email === root.email) await users.makePlatformAdmin.run({ id: user.id }, tx.db);
}

async function plantOrganization(
  tx: Tx,
  { name, slug, units: tree, members, hasHistory = false }: Organization,
  { receiverUrl, provider }: Addresses,
): Promise<void> {
  const details = { name, slug, origin: "PLATFORM", foundedById: null } as const;
  const [organization] = await organizations.insertOrganization.run(details, tx.db);
  if (organization === undefined) return;
  // The demo organization has the trial plan: it allows invitations, and a purchase visibly changes it.
  await startTrial(tx, organization.id);
  const places = await plantUnits(tx, organization.id, tree, null);
  const userIds: string[] = [];
  for (const [account, ...roles] of members) {
    const [user] = await people.findUserByEmail.run({ email: account.email }, tx.db);
    if (user === undefined) continue;
    userIds.push(user.id);
    await addMember(
      tx,
      { organizationId: organization.id, userId: user.id },
      roles.map((role) => {
        const [roleName, unit] = role.split("@");
        const roleId = builtInRoles.find((builtIn) => builtIn.name === roleName)?.id ?? "";
        return { roleId, unitId: unit === undefined ? null : (places.get(unit) ?? null) };
      }),
    );
  }
  const [admin] = userIds;
  if (provider !== null && name === ACME.name) await plantAcmeDomain(tx, organization.id);
  const unitId = places.get("Athens");
  if (provider !== null && name === GLOBEX.name && admin !== undefined && unitId !== undefined)
    await plantSignOn(tx, provider, {
      ...{ organizationId: organization.id, adminId: admin, unitId },
      roles: new Map(builtInRoles.map((role) => [role.name, role.id])),
    });
  if (!hasHistory || admin === undefined) return;
  const { id: organizationId } = organization;
  await insertHistory(tx, organizationId, {
    admin,
    members: userIds,
    units: [...places.values()],
    memberRoleId: MEMBER.id,
  });
  await plantWebhooks(tx, { organizationId, creator: admin, url: receiverUrl });
}

/** Returns the ids of the units by name. */
async function plantUnits(
  tx: Tx,
  organizationId: string,
  tree: Tree,
  parentId: string | null,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [name, below] of Object.entries(tree)) {
    const { id } = exactlyOne(await units.newUnitIds.run({ count: 1 }, tx.db));
    await units.insertUnits.run({ organizationId, given: { units: [{ id, parentId, name }] } }, tx.db);
    ids.set(name, id);
    for (const [inner, innerId] of await plantUnits(tx, organizationId, below, id)) ids.set(inner, innerId);
  }
  return ids;
}
