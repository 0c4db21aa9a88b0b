import type { z } from "zod";
import {
  authorize,
  type Call,
  exactlyOne,
  notFound,
  type OrganizationCall,
  type Tx,
  tooManyRequests,
  transaction,
} from "#kit";
import * as queries from "#sql/sso-sign-in";
import { withoutSession } from "../identities/redirect.ts";
import { presentAssignment } from "../members/present.ts";
import type { Answer } from "./answer.ts";
import { type Authorization, beginForCaller } from "./begin.ts";
import { type Connection, findConnection } from "./connection.ts";
import { listDefaults, listGivenByGroups } from "./groups.ts";
import { judge, type Verdict } from "./judge.ts";
import { LIMITS } from "./limits.ts";
import { failed, type SsoResult } from "./outcome.ts";
import { answerCipher } from "./secrets.ts";
import type { State } from "./state-cookie.ts";
import type { ConnectionTest } from "./test-schemas.ts";

type Result = z.output<typeof ConnectionTest>;

/** Who begins a test, and alone may read it: a member, or a setup link. */
type Tester = { userId: string; setupLinkId: null } | { userId: null; setupLinkId: string };

/** Returns the caller as one who tests. */
const testerOf = ({ actor: { type, id } }: Pick<OrganizationCall, "actor">): Tester =>
  type === "setup_link" ? { userId: null, setupLinkId: id } : { userId: id, setupLinkId: null };

/**
 * Begins a test of a connection, in any status, and starts its authorization at the provider. It signs nobody in.
 * @throws notFound, tooManyRequests, providerError
 */
export async function beginTest(
  call: OrganizationCall,
  connectionId: string,
): Promise<Authorization & { testId: string }> {
  const { testId, connection } = await transaction(call, async (tx) => {
    await authorize(tx, "SingleSignOn.Update");
    const { db, organizationId } = tx;
    const tester = testerOf(tx);
    const connection = await findConnection(db, connectionId);
    if (connection === null || connection.organizationId !== organizationId) throw notFound();
    if (tester.setupLinkId !== null && connection.status !== "DRAFT") throw notFound();
    const version = connection.testedVersion;
    const { count } = exactlyOne(await queries.countTests.run({ organizationId }, db));
    if (count >= LIMITS.tests.points) throw tooManyRequests(LIMITS.tests.perSeconds);
    const { id } = exactlyOne(await queries.insertTest.run({ connectionId, ...tester, version }, db));
    return { testId: id, connection };
  });
  return { testId, ...(await beginForCaller(call, connection, { kind: "test", testId })) };
}

/** Returns a test to whoever began it, for 15 minutes. @throws notFound */
export async function showTest(call: OrganizationCall, connectionId: string, id: string): Promise<Result> {
  const { app, db, organizationId } = call;
  const tester = testerOf(call);
  const [test] = await queries.findTest.run({ id, organizationId, connectionId, ...tester }, db);
  if (test === undefined) throw notFound();
  if (test.result === null) return { ...NOTHING, outcome: "pending" };
  const result = answerCipher(app).decrypt(test.result) as Result;
  // Whoever sets up a connection by a link must not learn who has an account.
  return tester.setupLinkId === null
    ? result
    : { ...result, wouldBe: null, assignments: [], problems: ownProblems(result) };
}

const NOTHING = {
  subject: null,
  email: null,
  emailVerified: null,
  firstName: null,
  lastName: null,
  groups: null,
  wouldBe: null,
  assignments: [],
  problems: [],
} satisfies Omit<Result, "outcome">;

/** The problems that follow from the answer of the provider alone, not from accounts and members. */
const OF_THE_ANSWER = [
  "PROVIDER_ERROR",
  "CLIENT_REFUSED",
  "ACCESS_DENIED",
  "EMAIL_MISSING",
  "EMAIL_NOT_VERIFIED",
  "DOMAIN_MISMATCH",
];
const ownProblems = ({ problems }: Result) => problems.filter((code) => OF_THE_ANSWER.includes(code));

/** Stores that a provider failed in a test. */
export const refuseTest = (
  call: Call,
  connection: Connection,
  state: State,
  testId: string,
  code: "ACCESS_DENIED" | "PROVIDER_ERROR" | "CLIENT_REFUSED",
): Promise<SsoResult> =>
  store(call, connection, state, testId, { ...NOTHING, outcome: "failed", problems: [code] });

/** Stores what a provider said in a test, and what a sign-in would do. */
export async function finishTest(
  call: Call,
  connection: Connection,
  state: State,
  testId: string,
  answer: Answer,
): Promise<SsoResult> {
  const result = await transaction(call, async (tx) => {
    const verdict = await judge(tx, connection, answer);
    return {
      outcome: "passed" as const,
      subject: answer.subject,
      email: answer.email,
      emailVerified: answer.isEmailVerified,
      firstName: answer.firstName,
      lastName: answer.lastName,
      groups: answer.groups,
      wouldBe: wouldBe(verdict),
      ...(await rolesOf(tx, connection, answer, verdict)),
    };
  });
  return store(call, connection, state, testId, result);
}

function wouldBe(verdict: Verdict): Result["wouldBe"] {
  if (verdict.refusal !== null) return "refused";
  if (verdict.way.kind === "invitation") return "accept-invitation";
  if (verdict.person === null) return "create";
  return verdict.isKnown ? "enter" : "link";
}

async function rolesOf(tx: Tx, connection: Connection, answer: Answer, verdict: Verdict) {
  if (verdict.refusal !== null)
    return { assignments: [], problems: [verdict.isEmailMissing ? "EMAIL_MISSING" : verdict.refusal] };
  const { given, problem } = await listGivenByGroups(tx.db, connection, answer.groups);
  const isDefault = !given?.length && verdict.way.kind === "jit";
  const roles = isDefault ? await listDefaults(tx.db, connection) : (given ?? []);
  return {
    assignments: roles.map((one) => presentAssignment(one, "sso")),
    problems: problem === null ? [] : [problem],
  };
}

async function store(
  call: Call,
  { id: connectionId }: Connection,
  { version }: State,
  testId: string,
  result: Result,
): Promise<SsoResult> {
  const isPassed = result.outcome === "passed";
  const sealed = answerCipher(call.app).encrypt(result);
  const finished = { id: testId, connectionId, version, isPassed, result: sealed };
  const [stored] = await queries.finishTest.run(finished, call.db.writes);
  return stored === undefined ? failed("INVALID_STATE") : withoutSession({ tested: testId });
}
