import { issueChallengeToken } from "../../../src/core/accounts/passkey-challenges.ts";
import type { App } from "../../../src/core/context.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { SoftAuthenticator } from "../../support/authenticator.ts";
import { environmentFor } from "../../support/environment.ts";
import type { Rows } from "../../support/rows.ts";
import type { Fixture, Person } from "./fixture.ts";

type Put = (text: string, ...row: Parameters<Rows["put"]>) => string;
type Response = { challengeToken: string; response: unknown };
export type Assertions = { signIn: Response; proof: Response };

const settings = environmentFor("", 0);
/** Signs challenges as the instances do. */
const app = {
  config: { jwtSecret: settings.JWT_SECRET ?? "", jwtSecretPrevious: null, appUrl: settings.APP_URL ?? "" },
} as App;
const RP_ID = new URL(app.config.appUrl).hostname;
const CHANGED = "2026-06-01T00:00:00Z";
const LATER = "2099-01-01T00:00:00Z";

/** Returns the email that two accounts want, and that a stranger registers. */
export const wantedEmail = (unique: string) => `stranger-${unique}@example.com`;

/** Adds a completed change of the member's email, which can be undone, and changes that wait for their new address only. */
export function addEmailChanges(rows: Rows, put: Put, { people, unique }: Fixture): void {
  const change = (name: string, { id, email }: Person, more: Record<string, unknown>) =>
    put(name, "email_changes", {
      ...{
        user_id: id,
        old_email: email,
        new_email: wantedEmail(unique),
        completed_at: null,
        undo_until: null,
      },
      ...{ new_confirmed_at: null, undo_token_hash: null },
      ...{ old_token_hash: tokenHash(`old of ${name}-${unique}`) },
      ...{ new_token_hash: tokenHash(`new of ${name}-${unique}`) },
      ...more,
    });
  const { member, second } = people;
  const former = `former-${unique}@example.com`;
  rows.put("account_emails", { user_id: member.id, email: former });
  change("earlier change", member, {
    ...{ old_email: former, new_email: member.email, new_confirmed_at: CHANGED, completed_at: CHANGED },
    ...{ undo_until: LATER, undo_token_hash: tokenHash(`undo-${unique}`) },
  });
  change("change", member, {});
  change("change of the second", second, {});
}

/** Adds a passkey of the member. */
export async function addPasskey(put: Put, { people: { member } }: Fixture): Promise<Assertions> {
  const authenticator = new SoftAuthenticator();
  authenticator.userHandle = Buffer.from(member.id.replaceAll("-", ""), "hex").toString("base64url");
  const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;
  put("passkey", "passkeys", {
    ...{ user_id: member.id, rp_id: RP_ID, aaguid: "00000000-0000-0000-0000-000000000000" },
    ...{ credential_id: hex(authenticator.id), public_key: hex(authenticator.publicKey) },
    ...{ backup_eligible: true, backed_up: true },
  });
  const respond = async (scope: Parameters<typeof issueChallengeToken>[1]): Promise<Response> => {
    const { challengeToken, challenge } = await issueChallengeToken(app, scope);
    return { challengeToken, response: authenticator.get({ challenge, rpId: RP_ID }) };
  };
  const session = { userId: member.id, sessionId: member.sids[0] ?? "" };
  return {
    signIn: await respond({ purpose: "sign-in" }),
    proof: await respond({ purpose: "reauthenticate", ...session }),
  };
}
