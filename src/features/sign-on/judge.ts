import { ApiError, assertWithinLimit, exactlyOne, type Tx } from "#kit";
import { domainOf } from "#kit/inside";
import * as queries from "#sql/sso-sign-in";
import { findEmailHolder } from "../../core/accounts/registration.ts";
import type { Answer } from "./answer.ts";
import type { Connection } from "./connection.ts";
import type { Refusal } from "./outcome.ts";

type Person = Awaited<ReturnType<typeof queries.findPerson.run>>[number];

/** How somebody comes into the organization: as the member that they are, by an invitation (its digest), or just in time. */
type Way = { kind: "member" } | { kind: "invitation"; tokenHash: string } | { kind: "jit" };

export type Verdict =
  | { refusal: Refusal; isEmailMissing: boolean }
  /** `person` is null if an account is to be created; `isKnown` if it is linked already. */
  | { refusal: null; person: Person | null; isKnown: boolean; way: Way };

const GOOGLE = "https://accounts.google.com";

/**
 * Returns the account that a person of a connection has or would be linked to, null if there is none. Read it before
 * its lock is taken; `judge` reads it again.
 */
export async function findAccount(
  { db }: Pick<Tx, "db">,
  connection: Connection,
  { subject, email }: Answer,
): Promise<string | null> {
  const [known] = await queries.findIdentity.run({ connectionId: connection.id, subject }, db);
  if (known !== undefined) return known.userId;
  const holder = email === null ? null : await findEmailHolder(db, email);
  return holder === null || holder.isDeleted ? null : holder.id;
}

/**
 * Decides whether somebody comes in by a connection, and how (rules 44.3). Writes nothing. Exact under the locks of the
 * organization and of the account.
 */
export async function judge(tx: Tx, connection: Connection, answer: Answer): Promise<Verdict> {
  const { organizationId, id: connectionId } = connection;
  if (connection.organizationStatus === "SUSPENDED") return refuse("ORGANIZATION_SUSPENDED");
  // Private accounts at Google may have an address of a company, so the domain that manages the account decides.
  if (connection.issuer === GOOGLE && !(await isVerified(tx, connection, answer.hostedDomain)))
    return refuse("DOMAIN_MISMATCH");

  const userId = await findAccount(tx, connection, answer);
  const [person] =
    userId === null ? [] : await queries.findPerson.run({ userId, organizationId, connectionId }, tx.db);
  if (person?.subject === answer.subject)
    return person.isPlatformAdmin
      ? refuse("ACCOUNT_NOT_ALLOWED")
      : enter(tx, connection, person, { isKnown: true });

  const { email } = answer;
  if (email === null) return refuse("EMAIL_NOT_VERIFIED", { isEmailMissing: true });
  if (answer.isEmailVerified === false) return refuse("EMAIL_NOT_VERIFIED");
  if (!(await isVerified(tx, connection, domainOf(email)))) return refuse("DOMAIN_MISMATCH");

  const holder = await findEmailHolder(tx.db, email);
  if (holder?.isDeleted) return refuse("EMAIL_UNAVAILABLE");
  if (person?.isPlatformAdmin) return refuse("ACCOUNT_NOT_ALLOWED");
  if (person !== undefined && person.subject !== null) return refuse("IDENTITY_IN_USE");
  return enter(tx, connection, person ?? null, { isKnown: false, email });
}

const refuse = (refusal: Refusal, { isEmailMissing = false } = {}): Verdict => ({ refusal, isEmailMissing });

/** Decides how a person becomes a member, or that they do not. */
async function enter(
  tx: Tx,
  connection: Connection,
  person: Person | null,
  { isKnown, email }: { isKnown: boolean; email?: string },
): Promise<Verdict> {
  const { organizationId } = connection;
  const as = (way: Way): Verdict => ({ refusal: null, person, isKnown, way });
  if (person?.isMember) return as({ kind: "member" });
  const tokenHash =
    person === null ? await findInvitation(tx, organizationId, email ?? "") : person.invitation;
  if (tokenHash !== null) return as({ kind: "invitation", tokenHash });
  if (connection.provisioning !== "jit" || person?.wasRemoved) return refuse("NOT_A_MEMBER");
  return (await isSeatFree(tx, organizationId)) ? as({ kind: "jit" }) : refuse("PLAN_LIMIT_REACHED");
}

async function findInvitation({ db }: Tx, organizationId: string, email: string): Promise<string | null> {
  const [invitation] = await queries.findInvitation.run({ organizationId, email }, db);
  return invitation?.tokenHash ?? null;
}

async function isSeatFree(tx: Tx, organizationId: string): Promise<boolean> {
  try {
    await assertWithinLimit(tx, { organizationId, limit: "members" });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "PLAN_LIMIT_REACHED") return false;
    throw error;
  }
}

async function isVerified(
  { db }: Tx,
  { organizationId }: Connection,
  domain: string | null,
): Promise<boolean> {
  if (domain === null) return false;
  return exactlyOne(await queries.isVerifiedDomain.run({ organizationId, domain }, db)).isVerified;
}
