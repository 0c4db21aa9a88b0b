import { audit, notify, type Tx } from "#kit";
import { serializationFailure, toStored } from "#kit/inside";
import * as passkeys from "#sql/people/passkeys";
import * as queries from "#sql/sso-sign-in";
import { addMember, grantedRoles } from "../../core/accounts/memberships.ts";
import { admitBirth, createVerifiedUser } from "../../core/accounts/registration.ts";
import { deleteTwoFactor } from "../../core/accounts/second-factor.ts";
import { tellOfMethod } from "../identities/link.ts";
import { acceptPending } from "../invitations/accept.ts";
import { memberCreated } from "../members/events.ts";
import type { Answer } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { recordProblem } from "./failures.ts";
import {
  type GroupsProblem,
  listDefaults,
  listGivenByGroups,
  MAX_GROUPS,
  setRolesByGroups,
} from "./groups.ts";
import type { Verdict } from "./judge.ts";

type Entering = Extract<Verdict, { refusal: null }>;
type Account = { userId: string; email: string; firstName: string; lastName: string };

/**
 * Writes what a sign-in by a connection changes: account, identity, membership and roles. Returns the account. Call
 * under the locks of `lockForArrival`, with the verdict that was reached under them.
 */
export async function comeIn(
  tx: Tx,
  connection: Connection,
  answer: Answer,
  verdict: Entering,
): Promise<string> {
  const { person, isKnown, way } = verdict;
  const account: Account =
    person === null ? await create(tx, connection, answer) : { ...person, userId: person.id };
  if (person !== null && !person.isVerified) await takeOver(tx, person.id);
  if (isKnown) await updateIdentity(tx, connection, account.userId, answer);
  else await link(tx, connection, account, answer, person);

  const problem =
    way.kind === "jit"
      ? await provision(tx, connection, account.userId, answer.groups)
      : await beMember(tx, connection, account, { way, groups: answer.groups, isNew: person === null });
  await queries.recordSignIn.run({ id: connection.id }, tx.db);
  if (problem !== null) recordProblem(tx, connection.id, problem);
  return account.userId;
}

async function create(tx: Tx, connection: Connection, answer: Answer): Promise<Account> {
  const { firstName, lastName } = answer;
  const email = answer.email ?? "";
  const language = answer.language ?? tx.app.config.defaultLanguage;
  const created = { email, firstName, lastName, language: toStored(language), passwordHash: null };
  // The organization vouches for the person, so registration is open on this way in every mode.
  const admission = await admitBirth(tx, { path: "connection", email });
  const userId = admission && (await createVerifiedUser(tx, admission, created));
  // Somebody registered the address meanwhile.
  if (userId === null) throw serializationFailure();
  await audit(tx, "USER_REGISTERED", {
    actorId: userId,
    target: { type: "user", id: userId },
    metadata: { provider: "sso", connectionId: connection.id },
  });
  await notify(tx, userId, "WELCOME", {});
  return { userId, email, firstName, lastName };
}

/**
 * Empties an account whose address nobody ever proved: whoever registered it may have been somebody else. The
 * organization, whose domain the address is of, vouches for the person.
 */
async function takeOver(tx: Tx, userId: string): Promise<void> {
  const [emptied] = await queries.takeOverUnverified.run({ id: userId }, tx.db);
  if (emptied === undefined) throw serializationFailure();
  await passkeys.deletePasskeysOfUser.run({ userId, since: "-infinity" }, tx.db);
  await deleteTwoFactor(tx, userId);
  await audit(tx, "EMAIL_VERIFIED", { actorId: userId, target: { type: "user", id: userId } });
}

/** The groups to remember: none that changed nothing. */
const storable = ({ groups }: Answer) => (groups === null || groups.length > MAX_GROUPS ? null : groups);

async function updateIdentity(
  tx: Tx,
  { id: connectionId }: Connection,
  userId: string,
  answer: Answer,
): Promise<void> {
  const groups = storable(answer);
  const [updated] = await queries.updateIdentity.run(
    { connectionId, userId, email: answer.email, groups },
    tx.db,
  );
  if (updated === undefined) throw serializationFailure();
}

async function link(
  tx: Tx,
  connection: Connection,
  { userId, email }: Account,
  answer: Answer,
  person: Entering["person"],
): Promise<void> {
  const { subject } = answer;
  const identity = { connectionId: connection.id, userId, subject, email: answer.email ?? email };
  const [linked] = await queries.insertIdentity.run({ ...identity, groups: storable(answer) ?? [] }, tx.db);
  if (linked === undefined) throw serializationFailure();
  if (person === null) return;
  const { id: connectionId, organizationName: providerName } = connection;
  await tellOfMethod(tx, "ADDED", person, { actorId: userId, provider: "sso", connectionId, providerName });
}

/** Adds a member just in time, with the roles of the groups or the defaults of the connection. */
async function provision(
  tx: Tx,
  connection: Connection,
  userId: string,
  groups: string[] | null,
): Promise<GroupsProblem | null> {
  const { organizationId } = connection;
  const { given, problem } = await listGivenByGroups(tx.db, connection, groups);
  const assignments = given?.length ? given : await listDefaults(tx.db, connection);
  await addMember(tx, { organizationId, userId }, assignments, connection.id);
  await audit(tx, "USER_PROVISIONED", {
    actorId: userId,
    organizationId,
    target: { type: "user", id: userId },
    metadata: {
      via: "sso",
      connectionId: connection.id,
      ...grantedRoles(assignments),
    },
  });
  await memberCreated(tx, { organizationId, userId, actorId: userId });
  return problem;
}

async function beMember(
  tx: Tx,
  connection: Connection,
  account: Account,
  { way, groups, isNew }: { way: Entering["way"]; groups: string[] | null; isNew: boolean },
): Promise<GroupsProblem | null> {
  if (way.kind === "invitation") {
    const isAccepted = await acceptPending(
      tx,
      way.tokenHash,
      account.userId,
      isNew ? {} : { existingAccount: true },
    );
    if (!isAccepted) throw serializationFailure();
  }
  return setRolesByGroups(tx, connection, account.userId, groups);
}
