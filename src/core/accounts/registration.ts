import * as accounts from "#sql/people/accounts";
import * as invitations from "#sql/people/invitations";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { domainOf, isOneOf, isOneOrBelow } from "../../platform/domains.ts";
import type { Violation } from "../../platform/violations.ts";
import type { Config } from "../config.ts";
import type { App, Tx } from "../context.ts";

/**
 * The ways in which an account is born (rules 32.1). `connection`: at the first sign-in by the identity provider of an
 * organization. The command `bun run admin` is exempt, and decides nothing.
 */
export type BirthPath = "register" | "invitation" | "provider" | "connection";

declare const isDecided: unique symbol;
/** The decision that an account may be created. Only `admitBirth` makes one, and no account is created without it. */
export type Admission = { readonly path: BirthPath; readonly [isDecided]: true };

type Caller = { readonly app: App; readonly db: Queryable };
type Birth =
  /** The address of an invitation is not looked up before the decision. */
  { path: "invitation" } | { path: Exclude<BirthPath, "invitation">; email: string };

/**
 * Decides whether an account may be created, before anything about its address is looked up and before its password is
 * hashed. Returns null if registration is closed for it. Reads the database only for a user of a sign-in provider with
 * `REGISTRATION=invited`, who needs a pending invitation.
 */
export async function admitBirth(caller: Caller, birth: Birth): Promise<Admission | null> {
  const { path } = birth;
  if (await isOpen(caller, birth)) return { path } as Admission;
  caller.app.meter.count("registrations_total", { path, outcome: "closed" });
  return null;
}

async function isOpen({ app, db }: Caller, birth: Birth): Promise<boolean> {
  const { mode, domains } = app.config.registration;
  // The organization that owns the connection, or the inviter, vouches for the person.
  if (birth.path === "connection") return true;
  if (birth.path === "invitation") return mode !== "off";
  const { path, email } = birth;
  if (path === "provider" && isBlocked(email, app.config)) return false;
  if (mode === "domains") return isOneOf(domains, domainOf(email));
  if (mode === "invited") return path === "provider" && isInvited(db, email);
  return mode === "open";
}

const isInvited = async (db: Queryable, email: string): Promise<boolean> =>
  (await invitations.findUsableInvitation.run({ email }, db)).length > 0;

/** Counts an account when it is committed. */
export function countBirth(tx: Tx, { path }: Admission): void {
  tx.afterCommit.push(async () => tx.app.meter.count("registrations_total", { path, outcome: "created" }));
}

const isBlocked = (email: string, { registration: { blocked } }: Config): boolean =>
  blocked.size > 0 && isOneOrBelow(blocked, domainOf(email));

/** Returns a violation if nobody may choose an address of this domain by themselves (rules 32.3). */
export const emailViolations = (email: string, config: Config): Violation[] =>
  isBlocked(email, config) ? [{ path: "email", message: "email must not be of this domain" }] : [];

type NewUser = Parameters<typeof accounts.insertVerifiedUser.run>[0];

/** Creates an account with a verified email. Returns null if an account already has the email, even a deleted one. */
export async function createVerifiedUser(
  tx: Tx,
  admission: Admission,
  user: NewUser,
): Promise<string | null> {
  const [created] = await accounts.insertVerifiedUser.run(user, tx.db);
  if (created === undefined) return null;
  countBirth(tx, admission);
  return created.id;
}

/** Returns the account that has an email, even if deleted; null if there is none. */
export async function findEmailHolder(
  db: Queryable,
  email: string,
): Promise<{ id: string; isDeleted: boolean } | null> {
  const [holder] = await accounts.findEmailHolder.run({ email }, db);
  return holder ?? null;
}
