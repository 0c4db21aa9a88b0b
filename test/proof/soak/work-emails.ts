import { createHash } from "node:crypto";
import { attempt, count, type OwnerWork, withOwner } from "./passkey-owners.ts";
import { newBrowser, type Person } from "./people.ts";
import { pick, type Weighted } from "./work-context.ts";
import { signIn } from "./work-passkeys.ts";

const EMAIL = "/api/profile/email";
/** Of six mails with a cancelling link, one is used for it. Otherwise no change would be completed. */
const CANCELED = 6;

/** Work on changes of email: requests, and the mailed links that confirm, cancel and undo them. */
export const EMAIL_WORK: Weighted = [
  [
    6,
    async (w, random, text) =>
      withOwner(w, { random, text, roles: ["passkeyOwner"] }, async (item) => {
        const link = nextLink(item);
        const isNew = item.expected.pending === null || random(8) === 0;
        if (link === undefined) return isNew ? request(item) : undefined;
        item.owner.followed.add(link.href);
        await follow(item, link);
      }),
  ],
];

/** Returns a link that was mailed to the owner and not followed yet. */
function nextLink({ w, owner, random }: OwnerWork): URL | undefined {
  const links = w.mails
    .filter(({ to }) => to.some((address) => owner.emails.has(address)))
    .flatMap((mail) => mail.links)
    .filter((link) => link.includes("-email-change?token=") && !owner.followed.has(link));
  const link = pick(random, links);
  return link === undefined ? undefined : new URL(link);
}

/** Requests a change to a new email, to a former one of the account, or to one that another account has or had. */
async function request(item: OwnerWork) {
  const { w, owner, expected, random } = item;
  const browser = await signIn(item);
  const { id } = owner.person;
  // Five requests a day are allowed.
  await w.sql(`UPDATE email_changes SET created_at = created_at - interval '1 day' WHERE user_id = '${id}'`);
  // What the account has now was not added in the day before the request, so it stays.
  for (const [table, key] of Object.entries({ users: "id", passkeys: "user_id" }))
    await w.sql(`UPDATE ${table} SET created_at = created_at - interval '2 days' WHERE ${key} = '${id}'`);
  const held = (whose: string) =>
    w.sql(`SELECT email FROM account_emails WHERE user_id ${whose} '${id}' AND email <> '${expected.email}'`);
  if (random(6) === 0) {
    const taken = pick(random, await held("<>"));
    await attempt(item, browser, { method: "POST", path: EMAIL, body: { email: taken?.email } }, [409]);
    return count(w, "taken emails refused");
  }
  const former = random(4) === 0 ? pick(random, await held("=")) : undefined;
  const email = String(former?.email ?? `mover-${crypto.randomUUID()}@example.com`);
  owner.emails.add(email);
  await attempt(item, browser, { method: "POST", path: EMAIL, body: { email } }, [202]);
  expected.pending = { email, oldConfirmed: false, newConfirmed: false };
  count(w, "changes of email requested");
  if (random(8) > 0) return;
  await attempt(item, browser, { method: "DELETE", path: EMAIL }, [204]);
  expected.pending = null;
  count(w, "changes of email canceled by their owner");
}

type Change = {
  id: string;
  old_email: string;
  new_email: string;
  isOld: boolean;
  isUndo: boolean;
  isPending: boolean;
  isCompleted: boolean;
};

async function changeOf({ w }: OwnerWork, token: string): Promise<Change> {
  const hash = createHash("sha256").update(token).digest("hex");
  const [change] = await w.sql(`SELECT id, old_email, new_email, old_token_hash = '${hash}' AS "isOld",
      undo_token_hash IS NOT DISTINCT FROM '${hash}' AS "isUndo",
      completed_at IS NULL AND canceled_at IS NULL AS "isPending",
      completed_at IS NOT NULL AND undone_at IS NULL AS "isCompleted"
    FROM email_changes WHERE '${hash}' IN (old_token_hash, new_token_hash, undo_token_hash)`);
  if (change === undefined) throw new Error("A mailed link belongs to no change of email");
  return change as Change;
}

async function follow(item: OwnerWork, { pathname, searchParams }: URL) {
  const token = searchParams.get("token") ?? "";
  const change = await changeOf(item, token);
  const link = { method: "POST", path: `/api/auth${pathname}`, body: { token } };
  if (pathname === "/undo-email-change") return undo(item, change, link);
  if (pathname === "/cancel-email-change") return cancel(item, change, link);
  return confirm(item, change, link);
}

type Link = { method: string; path: string; body: unknown };
const stranger = ({ owner }: OwnerWork): Person => ({ ...newBrowser(owner.person), token: "" });

/** Opens a confirming link, the new address's in a session of the account. A completion must end other sessions. */
async function confirm(item: OwnerWork, change: Change, link: Link) {
  const { w, expected } = item;
  const other = await signIn(item);
  const browser = change.isOld ? stranger(item) : await signIn(item);
  if (!change.isPending) {
    await attempt(item, browser, link, [change.isCompleted ? 200 : 400]);
    return count(w, "links of ended changes of email");
  }
  if (!change.isOld) await attempt(item, stranger(item), link, [401]);
  const { body } = await attempt(item, browser, link, [200]);
  const { pending } = expected;
  if (pending === null) return void w.violations.push("a change of email was confirmed that was not pending");
  if (change.isOld) pending.oldConfirmed = true;
  else pending.newConfirmed = true;
  const waitsFor = pending.oldConfirmed ? (pending.newConfirmed ? null : "new") : "old";
  if (body.waitingFor !== waitsFor)
    w.violations.push(`a confirmed change of email waits for ${body.waitingFor} instead of ${waitsFor}`);
  if (waitsFor !== null) return;
  Object.assign(expected, { email: change.new_email, pending: null });
  count(w, "changes of email completed");
  await expectEnded(item, other);
}

async function cancel(item: OwnerWork, change: Change, link: Link) {
  const { w, expected, random } = item;
  if (change.isPending && random(CANCELED) > 0) return;
  const browser = await signIn(item);
  const passkeys = await keptPasskeys(item, change);
  if (change.isPending && passkeys === null) return;
  await attempt(item, stranger(item), link, [change.isPending ? 204 : 400]);
  if (!change.isPending) return;
  Object.assign(expected, { pending: null, passkeys });
  count(w, "changes of email canceled by the old address");
  await expectEnded(item, browser);
}

/** Returns the passkeys that stay when a change is canceled or undone; null if none of them can be used. */
async function keptPasskeys({ w, owner }: OwnerWork, change: Change): Promise<string[] | null> {
  const rows = await w.sql(`SELECT encode(p.credential_id, 'hex') AS id
    FROM passkeys p JOIN email_changes c USING (user_id) JOIN users u ON u.id = c.user_id
    WHERE c.id = '${change.id}' AND p.created_at <= GREATEST(c.created_at - interval '24 hours', u.created_at)`);
  const kept = rows.map(({ id }) => String(id));
  return kept.some((id) => owner.authenticators.has(id)) ? kept : null;
}

/** Undoes a change, unless its owner would lose all passkeys that can be used. The link must work once. */
async function undo(item: OwnerWork, change: Change, link: Link) {
  const { w, expected } = item;
  if (!change.isCompleted) return attempt(item, stranger(item), link, [400]);
  const browser = await signIn(item);
  const passkeys = await keptPasskeys(item, change);
  if (passkeys === null) return;
  await attempt(item, stranger(item), link, [204]);
  Object.assign(expected, { email: change.old_email, pending: null, passkeys });
  count(w, "changes of email undone");
  await attempt(item, stranger(item), link, [400]);
  await expectEnded(item, browser);
}

/** No instance may renew a session that has ended. */
async function expectEnded(item: OwnerWork, { cookie, ...browser }: Person) {
  for (let instance = 0; instance < 3; instance += 1) {
    const request = { method: "POST", path: "/api/auth/refresh" };
    await attempt(item, { ...browser, token: "", cookie }, request, [401], instance);
  }
}
