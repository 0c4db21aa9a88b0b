import { tokenHash } from "../../src/platform/crypto.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { until } from "./cluster.ts";
import { assignments, type RoleAssignment } from "./organizations.ts";
import { expectStatus, type Service, uniqueEmail } from "./service.ts";

export const INVITATIONS = "/api/members/invitations";
const ACCEPT = "/api/auth/accept-invitation";

type Options = { headers?: Record<string, string> };
type Details = Options & { email?: string; roles?: RoleAssignment[]; language?: "el" | "en" };

/** Invites an address, by default as MEMBER organization-wide. */
export function invite(caller: Caller, details: Details = {}): Promise<ApiResponse> {
  const { email = uniqueEmail(), roles = [{ role: "MEMBER" }], language, headers = {} } = details;
  const body = { email, ...assignments(...roles), ...(language && { language }) };
  return caller.post(INVITATIONS, body, { headers });
}

/** A row of a request that invites many; by default a fresh address as MEMBER organization-wide. */
export const rowOf = ({ email = uniqueEmail(), roles = [{ role: "MEMBER" }] }: Details = {}) => ({
  email,
  ...assignments(...roles),
});

export const inviteMany = (
  caller: Caller,
  rows: object[],
  { dryRun, ...options }: Parameters<Caller["post"]>[2] & { dryRun?: boolean } = {},
): Promise<ApiResponse> =>
  caller.post(`${INVITATIONS}/bulk`, { rows, ...(dryRun !== undefined && { dryRun }) }, options);

/** A sent invitation, with the token of its mail. */
export type Invited = { id: string; email: string; token: string };

export async function invited(t: Service, caller: Caller, details: Details = {}): Promise<Invited> {
  const { id, email } = expectStatus(await invite(caller, details), 201).body;
  return { id, email, token: await tokenOf(t, id, email) };
}

/**
 * Finds the token of an invitation by its hash, because with several processes the last mail may belong to an older
 * invitation.
 */
async function tokenOf(t: Service, id: string, email: string): Promise<string> {
  const [row] = await t.sql<{ hash: string }>(
    "SELECT token_hash AS hash FROM user_invitations WHERE id = $1",
    [id],
  );
  return until(async () => {
    const links = (await t.mailTo(email)).flatMap((mail) => mail.links);
    const tokens = links.map((link) => new URL(link).searchParams.get("token") ?? "");
    return tokens.find((token) => tokenHash(token) === row?.hash) ?? null;
  });
}

/** Returns the token in the newest invitation mailed to an address. */
export const tokenFor = async (t: Service, email: string) =>
  (await t.linkTo(email, "/accept-invitation")).token;

export const resend = (caller: Caller, id: string, options: Options = {}) =>
  caller.post(`${INVITATIONS}/${id}/resend`, undefined, options);

export const revoke = (caller: Caller, id: string, options: Options = {}) =>
  caller.delete(`${INVITATIONS}/${id}`, options);

export type Row = {
  id: string;
  email: string;
  expired: boolean;
  invitedBy: { id: string; email: string } | null;
  invitedByServiceAccount: { id: string; name: string } | null;
  assignments: { role: { id: string; name: string }; unit: { id: string; name: string } | null }[];
  expiresAt: string;
  lastSentAt: string;
};

/** Reads a page of pending invitations. */
export const listed = async (
  caller: Caller,
  query = "",
  options: Options = {},
): Promise<{ data: Row[]; total: number; page: number; pageSize: number }> =>
  expectStatus(await caller.get(`${INVITATIONS}?${query}`, options), 200).body;

export const previewInvitation = (t: Service, token: string) =>
  t.anonymous().get(`/api/auth/invitation?token=${encodeURIComponent(token)}`);

export const NEW_ACCOUNT = { password: "wide blue yonder", firstName: "Grace", lastName: "Hopper" };

/** Accepts an invitation with a new account. */
export const acceptNew = (t: Service, token: string, url = t.url) =>
  t.anonymous(url).post(ACCEPT, { token, ...NEW_ACCOUNT });

/** Accepts an invitation with the caller's account. */
export const acceptAs = (caller: Caller, token: string) => caller.post(ACCEPT, { token });

/** Accepts an invitation with an arbitrary body. */
export const accept = (caller: Caller, body: unknown, options: Options = {}) =>
  caller.post(ACCEPT, body, options);

/** Backdates the last mail of an invitation by 61 seconds, so that it can be sent again. */
export const settle = (t: Service, { id }: { id: string }) =>
  t.age("user_invitations", { id }, { seconds: 61 });

/** Makes an invitation expire. */
export const expire = (t: Service, { id }: { id: string }) => t.age("user_invitations", { id }, { days: 8 });

/** Inserts an account without an organization, and without a mail; it is not signed in. */
export const storeAccount = (t: Service, email: string, { isDeleted = false, isVerified = true } = {}) =>
  t.sql(
    `INSERT INTO users (email, first_name, last_name, language, email_verified_at, is_deleted, deleted_at)
     VALUES ($1, 'Ada', 'Lovelace', 'EN', CASE WHEN $2::boolean THEN now() END, $3::boolean, CASE WHEN $3 THEN now() END)`,
    [email, isVerified, isDeleted],
  );

/** Marks an account as deleted, without the effects of deleting it through the API. */
export const deleteAccount = (t: Service, email: string) =>
  t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [email]);
