import type { Caller } from "./caller.ts";
import type { Service } from "./service.ts";

export type TokenRow = {
  id: string;
  session_id: string;
  expires_at: Date;
  revoked_at: Date | null;
  replaced_by_id: string | null;
};

/** Every refresh token row of an account, in order of creation. */
export const tokenRows = (t: Service, email: string) =>
  t.sql<TokenRow>(
    `SELECT r.* FROM refresh_tokens r JOIN users u ON u.id = r.user_id WHERE u.email = $1 ORDER BY r.id`,
    [email],
  );

/** The rows that a refresh would rotate. */
export const liveRows = async (t: Service, email: string) =>
  (await tokenRows(t, email)).filter((row) => row.revoked_at === null && row.expires_at > new Date());

/** The same user, signed in with another browser. */
export async function inAnotherBrowser(person: Caller, url = person.url): Promise<Caller> {
  const other = person.at(url);
  other.cookie = null;
  other.accessToken = null;
  await other.login();
  return other;
}

/** A copy of the same browser; the copies have separate cookies from then on. */
export const sameBrowser = (person: Caller) => person.at(person.url);

/** Requests a reset link; returns the token from the mail. */
export async function resetToken(t: Service, email: string): Promise<string> {
  await t.anonymous().post("/api/auth/forgot-password", { email });
  return (await t.linkTo(email, "/reset-password")).token;
}
