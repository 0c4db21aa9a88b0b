import { PASSKEYS, SoftAuthenticator } from "../../support/authenticator.ts";
import { type ApiResponse, claimsOf } from "./client.ts";
import {
  attempt,
  count,
  idOf,
  MAX_PASSKEYS,
  type OwnerWork,
  type PasskeyOwner,
  withOwner,
} from "./passkey-owners.ts";
import { newBrowser, PASSWORD, type Person } from "./people.ts";
import { pick, type Weighted, type Work } from "./work-context.ts";

const BOTH: Person["role"][] = ["passkeyOwner", "passkeyFactor"];
const REAUTHENTICATE = "/api/profile/reauthenticate";
const REFUSED = 401;

const workOf =
  (work: (item: OwnerWork) => Promise<unknown>, roles = BOTH): Work =>
  (w, random, text) =>
    withOwner(w, { random, text, roles }, async (item) => void (await work(item)));

/** Work on passkeys: sign-in, second factor, additions up to the limit, removals, and re-authentication. */
export const PASSKEY_WORK: Weighted = [
  [3, workOf(signInTwice)],
  [2, workOf(add)],
  [2, workOf(remove)],
  [2, workOf(stepUp)],
  [2, workOf(signInWithSecondFactor, ["passkeyFactor"])],
];

const post = (path: string, body?: unknown) => ({ method: "POST", path, body });
const visitor = ({ person }: PasskeyOwner): Person => ({ ...newBrowser(person), token: "" });
const usable = ({ owner, expected, random }: OwnerWork): SoftAuthenticator =>
  pick(
    random,
    expected.passkeys.flatMap((id) => owner.authenticators.get(id) ?? []),
  ) as SoftAuthenticator;

async function assertionOf(item: OwnerWork, authenticator: SoftAuthenticator) {
  const { body } = await attempt(item, visitor(item.owner), post("/api/auth/passkey/options"), [200]);
  return { challengeToken: body.challengeToken, response: authenticator.get(body.options as never) };
}

/** Signs in a new browser by one of the owner's passkeys. */
export async function signIn(item: OwnerWork): Promise<Person> {
  const browser = visitor(item.owner);
  const assertion = await assertionOf(item, usable(item));
  await attempt(item, browser, post("/api/auth/passkey/verify", assertion), [200]);
  const { acr, amr } = claimsOf(browser.token);
  if (acr !== "2" || !amr.includes("mfa"))
    item.w.violations.push(`a sign-in by passkey has acr ${acr} and amr ${amr}`);
  count(item.w, "sign-ins by passkey");
  return browser;
}

/** Sends one assertion to two instances at once, and again to the third. It must begin one session. */
async function signInTwice(item: OwnerWork) {
  const assertion = await assertionOf(item, usable(item));
  const send = (instance: number, expected: number[]) =>
    attempt(item, visitor(item.owner), post("/api/auth/passkey/verify", assertion), expected, instance);
  const both = await allOf([send(0, [200, REFUSED]), send(1, [200, REFUSED])]);
  onlyOneOf(item, both, 200, "sessions by one assertion");
  await send(2, [REFUSED]);
  count(item.w, "assertions that were sent twice");
}

/** Waits for all requests, so that none is under way when the work item ends. */
async function allOf(sent: Promise<ApiResponse>[]): Promise<ApiResponse[]> {
  await Promise.allSettled(sent);
  return Promise.all(sent);
}

function onlyOneOf({ w }: OwnerWork, responses: ApiResponse[], status: number, what: string) {
  const succeeded = responses.filter((response) => response.status === status).length;
  if (succeeded !== 1) w.violations.push(`${succeeded} ${what}`);
}

/** Adds a passkey. If only one more is allowed, adds two at once, of which one must be refused. */
async function add(item: OwnerWork) {
  const { owner, expected, random, text } = item;
  const browser = await signIn(item);
  const room = MAX_PASSKEYS - expected.passkeys.length;
  if (room === 0) return attempt(item, browser, post(`${PASSKEYS}/options`), [409]);
  const begin = async (number: number) => {
    const { body } = await attempt(item, browser, post(`${PASSKEYS}/options`), [200]);
    const isSynced = random(2) === 0;
    const authenticator = new SoftAuthenticator({ synced: isSynced, counter: isSynced ? 0 : 1 });
    owner.authenticators.set(idOf(authenticator), authenticator);
    const response = authenticator.create(body.options as never);
    return {
      authenticator,
      body: { challengeToken: body.challengeToken, response, name: `${number} ${text}` },
    };
  };
  const begun = [await begin(1), ...(room === 1 ? [await begin(2)] : [])];
  const add = ({ body }: (typeof begun)[number], statuses: number[]) =>
    attempt(item, browser, post(PASSKEYS, body), statuses);
  const added = await allOf(begun.map((one) => add(one, room === 1 ? [201, 409] : [201])));
  onlyOneOf(item, added, 201, "passkeys were added where one was allowed");
  for (const [index, one] of begun.entries())
    if (added[index]?.status === 201) {
      expected.passkeys.push(idOf(one.authenticator));
      await add(one, [400]);
      count(item.w, "passkeys added");
    }
}

/** Removes a passkey, unless it is the last way in. No instance may accept a removed one. */
async function remove(item: OwnerWork) {
  const { w, owner, expected } = item;
  const browser = await signIn(item);
  const authenticator = usable(item);
  const credential = idOf(authenticator);
  const [row] =
    await w.sql(`SELECT p.id, u.password_hash IS NULL OR u.two_factor_enabled_at IS NOT NULL AS "isNeeded"
    FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = '\\x${credential}'`);
  const request = { method: "DELETE", path: `${PASSKEYS}/${row?.id}` };
  if (expected.passkeys.length === 1 && row?.isNeeded) {
    count(w, "removals of the last way in refused");
    return attempt(item, browser, request, [409]);
  }
  // A person without a usable passkey could do no more work.
  const left = expected.passkeys.filter((id) => id !== credential && owner.authenticators.has(id));
  if (left.length === 0) return;
  await attempt(item, browser, request, [204]);
  expected.passkeys = expected.passkeys.filter((id) => id !== credential);
  count(w, "passkeys removed");
  for (let instance = 0; instance < 3; instance += 1) {
    const assertion = await assertionOf(item, authenticator);
    const request = post("/api/auth/passkey/verify", assertion);
    await attempt(item, visitor(owner), request, [REFUSED], instance);
  }
}

/** Uses a session whose proofs are old. A new proof must be accepted at once, with the same token, on any instance. */
async function stepUp(item: OwnerWork) {
  const { w, owner, random } = item;
  const { id } = owner.person;
  const browser = await signIn(item);
  await w.sql(`UPDATE session_proofs SET proved_at = proved_at - interval '1 hour' WHERE user_id = '${id}'`);
  await w.sql(`DELETE FROM failed_attempts WHERE user_id = '${id}'`);
  const before = browser.token;
  await w.client.refresh(browser, random(1_000));
  // The client has reported the failure, unless a fault excuses it.
  if (browser.token === before) return;
  const [row] = await w.sql(`SELECT id FROM passkeys WHERE user_id = '${id}' ORDER BY id LIMIT 1`);
  const rename = { method: "PATCH", path: `${PASSKEYS}/${row?.id}`, body: { name: item.text } };
  const refused = await attempt(item, browser, rename, [403]);
  if (refused.body.code !== "REAUTHENTICATION_REQUIRED")
    w.violations.push(`a route that needs a recent proof was refused with ${refused.body.code}`);
  if (owner.hasPassword && owner.person.role === "passkeyOwner" && random(2) === 0)
    await attempt(item, browser, post(REAUTHENTICATE, { password: PASSWORD }), [204]);
  else {
    const proof = { passkey: await proofOf(item, browser) };
    await attempt(item, browser, post(REAUTHENTICATE, proof), [204]);
    await attempt(item, browser, post(REAUTHENTICATE, proof), [400]);
  }
  await attempt(item, browser, rename, [200]);
  count(w, "re-authentications");
}

async function proofOf(item: OwnerWork, browser: Person) {
  const { body } = await attempt(item, browser, post(`${REAUTHENTICATE}/options`), [200]);
  return { challengeToken: body.challengeToken, response: usable(item).get(body.options as never) };
}

/** Signs in with the password and a passkey as second factor; turns the factor on first. A challenge works once. */
async function signInWithSecondFactor(item: OwnerWork) {
  const { w, owner } = item;
  const { id, email } = owner.person;
  const [row] = await w.sql(`SELECT FROM users WHERE id = '${id}' AND two_factor_enabled_at IS NULL`);
  if (row !== undefined) {
    const browser = await signIn(item);
    const passkey = await proofOf(item, browser);
    await attempt(item, browser, post("/api/profile/2fa/enable", { passkey }), [200]);
  }
  const browser = visitor(owner);
  const { body } = await attempt(
    item,
    browser,
    post("/api/auth/login", { email, password: PASSWORD }),
    [200],
  );
  const { challengeToken } = body;
  const begun = await attempt(
    item,
    browser,
    post("/api/auth/2fa/passkey/options", { challengeToken }),
    [200],
  );
  const response = usable(item).get(begun.body.options as never, { userVerified: false });
  const verify = post("/api/auth/2fa/verify", { challengeToken, passkey: { response } });
  const both = await allOf(
    [0, 1].map((instance) => attempt(item, visitor(owner), verify, [200, REFUSED], instance)),
  );
  onlyOneOf(item, both, 200, "sessions by one challenge of the second factor");
  await attempt(item, visitor(owner), verify, [REFUSED]);
  count(w, "sign-ins with a passkey as second factor");
}
