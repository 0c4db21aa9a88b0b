import type { Caller } from "./caller.ts";
import { idOf } from "./outcomes.ts";
import { expectStatus, type Service } from "./service.ts";

export type TokenRow = {
  id: string;
  session_id: string;
  expires_at: Date;
  revoked_at: Date | null;
  replaced_by_id: string | null;
};

/** Lists all refresh token rows of an account the oldest first. */
export const tokenRows = (t: Service, email: string) =>
  t.sql<TokenRow>(
    `SELECT r.* FROM refresh_tokens r JOIN users u ON u.id = r.user_id WHERE u.email = $1 ORDER BY r.id`,
    [email],
  );

/** Lists the refresh token rows that can still be refreshed. */
export const liveRows = async (t: Service, email: string) =>
  (await tokenRows(t, email)).filter((row) => row.revoked_at === null && row.expires_at > new Date());

/** Returns the same user, signed in with another browser. */
export async function inAnotherBrowser(person: Caller, url = person.url): Promise<Caller> {
  const other = person.at(url);
  other.cookie = null;
  other.accessToken = null;
  await other.login();
  return other;
}

/** Copies a browser; from then on the copies have separate cookies. */
export const sameBrowser = (person: Caller) => person.at(person.url);

/** Requests a password reset link; returns the token in the mail. */
export async function resetToken(t: Service, email: string): Promise<string> {
  await t.anonymous().post("/api/auth/forgot-password", { email });
  return (await t.linkTo(email, "/reset-password")).token;
}

/** Makes all proofs of a user too old, as if the session had been stolen later. */
export async function stale(t: Service, person: Caller): Promise<Caller> {
  const before = "UPDATE session_proofs SET proved_at = now() - interval '11 minutes' WHERE user_id = $1";
  await t.sql(before, [idOf(person)]);
  expectStatus(await person.refresh(), 200);
  return person;
}

/** Makes an account and its credentials two days older, so that a change of email removes none of them (rules 35.6). */
export async function twoDaysOlder(t: Service, { email }: Caller): Promise<void> {
  const moved = (column: string) => `${column} = ${column} - interval '2 days'`;
  const [user] = await t.sql(
    `UPDATE users SET ${moved("created_at")}, ${moved("two_factor_enabled_at")}, ${moved("password_set_at")} WHERE email = $1 RETURNING id`,
    [email],
  );
  for (const table of ["passkeys", "two_factor_recovery_codes", "user_identities"])
    await t.sql(`UPDATE ${table} SET ${moved("created_at")} WHERE user_id = $1`, [user?.id]);
}
