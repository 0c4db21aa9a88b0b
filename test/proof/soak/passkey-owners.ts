import { SoftAuthenticator } from "../../support/authenticator.ts";
import type { Random } from "../../support/image-mutations.ts";
import { Rows } from "../../support/rows.ts";
import { type ApiResponse, NO_RESPONSE, type Request } from "./client.ts";
import type { Person } from "./people.ts";
import { exclusively, pick, type WorkContext } from "./work-context.ts";

/** What the responses say about an account. Credential ids are hexadecimal. */
export type Identity = {
  email: string;
  passkeys: string[];
  pending: { email: string; oldConfirmed: boolean; newConfirmed: boolean } | null;
};

/** A person who signs in by passkey, and changes the email. One work item at a time uses them. */
export type PasskeyOwner = {
  person: Person;
  /** By credential id. */
  authenticators: Map<string, SoftAuthenticator>;
  hasPassword: boolean;
  /** What the database must contain; null if the outcome of a request is unknown. */
  expected: Identity | null;
  unknownSince: number;
  /** All addresses that were ever requested for the account. */
  emails: Set<string>;
  /** Mailed links that were opened, or left alone. */
  followed: Set<string>;
};

/** The maximum number of passkeys of an account (rules 34.2). */
export const MAX_PASSKEYS = 20;
/** The number of passkeys that nobody uses, of every third owner: so few additions reach the limit. */
const UNUSED = 17;
/** The time after which a request without a response can no longer take effect: the service gives up after 8 s. */
const SETTLED_MS = 20_000;

/** Gives people a passkey. Every second one who has no second factor loses the password. */
export async function addPasskeys(
  sql: WorkContext["sql"],
  people: Person[],
): Promise<Map<Person, PasskeyOwner>> {
  const rows = new Rows();
  const owners = new Map<Person, PasskeyOwner>();
  for (const [index, person] of people.entries()) {
    const hasPassword = person.role === "passkeyFactor" || index % 2 === 0;
    const unused = index % 3 === 0 ? UNUSED : 0;
    const authenticators = Array.from({ length: 1 + unused }, () => new SoftAuthenticator());
    for (const authenticator of authenticators) {
      authenticator.userHandle = Buffer.from(person.id.replaceAll("-", ""), "hex").toString("base64url");
      rows.put("passkeys", {
        ...{ user_id: person.id, aaguid: "00000000-0000-0000-0000-000000000000" },
        ...{
          credential_id: `\\x${idOf(authenticator)}`,
          public_key: `\\x${authenticator.publicKey.toString("hex")}`,
        },
        ...{ backup_eligible: true, backed_up: true },
      });
    }
    owners.set(person, {
      ...{ person, hasPassword, expected: null, unknownSince: Number.NEGATIVE_INFINITY },
      authenticators: new Map(authenticators.slice(0, 1).map((one) => [idOf(one), one])),
      ...{ emails: new Set([person.email]), followed: new Set<string>() },
    });
    if (!hasPassword) await sql(`UPDATE users SET password_hash = NULL WHERE id = '${person.id}'`);
  }
  await rows.insert({ sql });
  return owners;
}

export const idOf = (authenticator: SoftAuthenticator): string => authenticator.id.toString("hex");

/** Reads from the primary server what the account is. */
export async function readIdentity({ sql }: WorkContext, { id }: Person): Promise<Identity> {
  const [row] = await sql(`SELECT u.email,
      ARRAY(SELECT encode(credential_id, 'hex') FROM passkeys p WHERE p.user_id = u.id ORDER BY 1) AS passkeys,
      (SELECT jsonb_build_object('email', c.new_email, 'oldConfirmed', c.old_confirmed_at IS NOT NULL,
          'newConfirmed', c.new_confirmed_at IS NOT NULL)
        FROM email_changes c WHERE c.user_id = u.id AND c.completed_at IS NULL AND c.canceled_at IS NULL) AS pending
    FROM users u WHERE u.id = '${id}'`);
  const { email, passkeys, pending } = row as Identity;
  return { email, passkeys: [...passkeys], pending };
}

/** Compares an account with what the responses said, unless that is unknown. */
export async function identityViolations(
  w: WorkContext,
  { expected, person }: PasskeyOwner,
): Promise<string[]> {
  if (expected === null) return [];
  const found = await readIdentity(w, person);
  const text = (identity: Identity, key: keyof Identity) => JSON.stringify(sorted(identity)[key]);
  return (["email", "passkeys", "pending"] as const)
    .filter((key) => text(found, key) !== text(expected, key))
    .map((key) => `the ${key} of an account: ${text(found, key)} instead of ${text(expected, key)}`);
}

const sorted = ({ email, passkeys, pending }: Identity): Identity => ({
  email,
  passkeys: [...passkeys].sort(),
  // Always in the same order of keys.
  pending: pending && {
    email: pending.email,
    oldConfirmed: pending.oldConfirmed,
    newConfirmed: pending.newConfirmed,
  },
});

/** A work item with an owner whose identity is known. */
export type OwnerWork = {
  w: WorkContext;
  owner: PasskeyOwner;
  expected: Identity;
  random: Random;
  text: string;
  startedAt: number;
};

/**
 * Runs work with an owner exclusively, after comparing the account with the expectation. Does nothing while a request
 * without a response may still take effect.
 */
export async function withOwner(
  w: WorkContext,
  { random, text, roles }: { random: Random; text: string; roles: Person["role"][] },
  work: (item: OwnerWork) => Promise<void>,
): Promise<void> {
  const owner = pick(
    random,
    [...w.owners.values()].filter(({ person }) => roles.includes(person.role)),
  );
  if (owner === undefined) return;
  await exclusively(w, owner, async () => {
    if (owner.expected === null && performance.now() < owner.unknownSince + SETTLED_MS) return;
    w.violations.push(...(await identityViolations(w, owner)));
    const expected = await readIdentity(w, owner.person);
    owner.expected = expected;
    const item = { w, owner, expected, random, text, startedAt: performance.now() };
    await work(item).catch((error: unknown) => {
      if (!(error instanceof UnknownOutcome)) throw error;
      owner.expected = null;
      owner.unknownSince = performance.now();
    });
  });
}

/** Ends a work item whose request has an unknown outcome. */
class UnknownOutcome extends Error {}

/**
 * Sends a request without renewing the session. Ends the work item unless the status is expected. Reports an unexpected
 * one, unless a fault excuses it: while clocks are moved, an instance may consider challenges and proofs expired.
 */
export async function attempt(
  { w, startedAt, random }: OwnerWork,
  browser: Person,
  request: Request,
  expected: number[],
  instance = random(1_000),
): Promise<ApiResponse> {
  const response = await w.client.send(browser, instance, request, REFUSALS.concat(expected));
  if (expected.includes(response.status)) return response;
  const isFailed = response.status === NO_RESPONSE || response.status >= 500;
  if (!isFailed && !w.client.excuses.token(startedAt))
    w.client.reportUnexpected(request, response, `instead of ${expected.join(" or ")}`);
  throw new UnknownOutcome();
}

/** Statuses that `attempt` judges itself. */
const REFUSALS = [200, 201, 202, 204, 400, 401, 403, 409, 429];

/** Counts a successful step, for the report. */
export const count = ({ counts }: WorkContext, step: string): void => {
  counts.set(step, (counts.get(step) ?? 0) + 1);
};
