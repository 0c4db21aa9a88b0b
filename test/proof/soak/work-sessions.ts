import type { Random } from "../../support/image-mutations.ts";
import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";
import { as } from "../world/organization-actions.ts";
import { PASSWORD, roleOf } from "../world/world.ts";
import { type Client, claimsOf } from "./client.ts";
import { MAX_SESSIONS } from "./invariants.ts";
import { newBrowser, newVisitor, type Person } from "./people.ts";
import {
  exclusively,
  MEMBERS,
  pick,
  pickPerson,
  type Weighted,
  type Work,
  type WorkContext,
} from "./work-context.ts";

const REFRESH = { method: "POST", path: "/api/auth/refresh" };
/**
 * The number of concurrent sign-ins. It is more than the maximum number of sessions. The service also limits the
 * waiting password checks of an email.
 */
const BROWSERS = 14;
const PERMISSIONS = ["Units.Read", "Members.Read", "Roles.Read", "Todos.Read", "Todos.Create"];

/** Signs in many browsers at once, up to the maximum number of sessions. */
const signInAtOnce: Work = async (w, random) => {
  const person = pickPerson(w, random, "multiBrowser");
  const request = {
    method: "POST",
    path: "/api/auth/login",
    body: { email: person.email, password: PASSWORD },
  };
  const signIn = () =>
    w.client.send({ ...newBrowser(person), token: "" }, random(1_000), request, [200, 429]);
  await Promise.all(Array.from({ length: BROWSERS }, signIn));
  const [row] = await w.sql(
    `SELECT count(*)::int AS sessions FROM refresh_tokens
     WHERE user_id = '${person.id}' AND revoked_at IS NULL AND expires_at > now()`,
  );
  if (Number(row?.sessions) > MAX_SESSIONS)
    w.violations.push(
      `${row?.sessions} sessions of one person after sign-ins at once, the cap is ${MAX_SESSIONS}`,
    );
};

/** Signs in a second browser and ends its session from the first. No instance may accept its cookies. */
async function endSession({ client }: WorkContext, random: Random, guest: Person) {
  const second = newBrowser(guest);
  const at = () => random(1_000);
  await client.refresh(second, at());
  const cookies = [second.cookie];
  await client.refresh(second, at());
  cookies.push(second.cookie);
  if (cookies.includes(null) || !second.isFresh) return;
  const ended = await client.send(guest, at(), { method: "DELETE", path: "/api/profile/sessions" }, [204]);
  if (ended.status !== 204) return;
  for (const cookie of cookies)
    for (let instance = 0; instance < 3; instance += 1) {
      const response = await client.send({ ...second, cookie, token: "" }, instance, REFRESH, [200, 401]);
      if (response.status === 200)
        client.reportUnexpected(REFRESH, response, "an ended session was refreshed");
    }
}

/** Assigns a new role and changes it. The next access token of any instance must have the new permissions. */
async function changeRoles({ client, violations }: WorkContext, random: Random, guest: Person, text: string) {
  const admin = guest.world.people.second as Person;
  const at = () => random(1_000);
  const change = (method: string, path: string, body: unknown, status = 200) =>
    client.send(admin, at(), { method, path: `/api${path}`, body }, [status]);
  const assign = (roleId: unknown) => {
    const { assignments } = as("");
    return change("PATCH", `/members/${guest.id}/roles`, { assignments: [{ ...assignments[0], roleId }] });
  };
  const some = () => [...new Set([pick(random, PERMISSIONS) ?? "", pick(random, PERMISSIONS) ?? ""])];
  const expectPermissions = async (expected: string[]) => {
    for (let round = 0; round < 2; round += 1) {
      guest.token = null;
      await client.refresh(guest, at());
      if (guest.token === null) return;
      const { permissions } = claimsOf(guest.token);
      if (permissions.toSorted().join() !== expected.toSorted().join())
        violations.push(`the next access token has ${permissions} after the roles got ${expected}`);
    }
  };
  let permissions = some();
  const made = await change("POST", "/roles", { name: `Role of ${text}`, permissions }, 201);
  if (made.status !== 201) return;
  if ((await assign(made.body.id)).status === 200) {
    await expectPermissions(permissions);
    permissions = some();
    const changed = await change("PATCH", `/roles/${made.body.id}`, { permissions });
    if (changed.status === 200) await expectPermissions(permissions);
  }
  for (let tries = 0; tries < 5 && (await assign(roleOf("MEMBER"))).status !== 200; tries += 1)
    await Bun.sleep(500);
}

/** Work with a guest, of whom no other work item ends a session or a role. */
const withGuest =
  (work: (w: WorkContext, random: Random, guest: Person, text: string) => Promise<unknown>): Work =>
  (w, random, text) => {
    const guest = pickPerson(w, random, "guest");
    return exclusively(w, guest, () => work(w, random, guest, text));
  };

/** Work on sessions: refreshes, sign-ins up to the cap, and ended sessions and roles, which all instances must know. */
export const SESSION_WORK: Weighted = [
  [16, (w, random) => w.client.refresh(pickPerson(w, random, ...MEMBERS, "operator"), random(1_000))],
  [2, signInAtOnce],
  [3, withGuest(endSession)],
  [3, withGuest(changeRoles)],
];

/** Enables the second factor of people. Returns their secrets, which the service stores encrypted. */
export async function enableFactors(client: Client, people: Person[]): Promise<Map<Person, string>> {
  const secrets = new Map<Person, string>();
  for (const person of people.filter(({ role }) => role === "factor")) {
    const post = (path: string, body: unknown) =>
      client.send(person, 0, { method: "POST", path: `/api/profile/2fa/${path}`, body }, [200]);
    const secret = String((await post("setup", { password: PASSWORD })).body.secret);
    await post("enable", { code: codeOf(secret) });
    secrets.set(person, secret);
  }
  return secrets;
}

/** Signs in people with a code, each on another instance. The client reports unexpected responses. */
export async function signInWithFactors(client: Client, secrets: Map<Person, string>): Promise<void> {
  for (const [instance, [person, secret]] of [...secrets].entries()) {
    const browser = { ...newVisitor(person.world), id: person.id };
    const post = (path: string, body: unknown) =>
      client.send(browser, instance, { method: "POST", path: `/api/auth/${path}`, body }, [200]);
    const { challengeToken } = (await post("login", { email: person.email, password: PASSWORD })).body;
    // The client reports a failed sign-in unless a fault excuses it.
    if (challengeToken !== undefined) await post("2fa/verify", { challengeToken, code: codeOf(secret) });
  }
}

const codeOf = (secret: string) => codeOfStep(fromBase32(secret), currentStep());
