import { issueChallengeToken } from "../../../src/core/accounts/passkey-challenges.ts";
import type { App } from "../../../src/core/context.ts";
import { tokenHash } from "../../../src/platform/crypto.ts";
import { SoftAuthenticator } from "../../support/authenticator.ts";
import { environmentFor } from "../../support/environment.ts";
import type { World } from "../world/world.ts";

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

/** Adds a completed change of the member's email, which can be undone, and changes that wait for their new address only. */
export function addEmailChanges(world: World): void {
  const { rows, ids, texts, unique } = world;
  const change = (name: string, who: string, more: Record<string, unknown>) =>
    world.put(name, "email_changes", {
      // Two accounts want the email that a stranger registers.
      ...{ user_id: ids[who], old_email: texts[`${who}.email`], new_email: `stranger-${unique}@example.com` },
      ...{ completed_at: null, undo_until: null, new_confirmed_at: null, undo_token_hash: null },
      ...{ old_token_hash: tokenHash(`old of ${name}-${unique}`) },
      ...{ new_token_hash: tokenHash(`new of ${name}-${unique}`) },
      ...more,
    });
  const former = `former-${unique}@example.com`;
  rows.put("account_emails", { user_id: ids.member, email: former });
  change("earlier change", "member", {
    ...{
      old_email: former,
      new_email: texts["member.email"],
      new_confirmed_at: CHANGED,
      completed_at: CHANGED,
    },
    ...{ undo_until: LATER, undo_token_hash: tokenHash(`undo-${unique}`) },
  });
  change("change", "member", {});
  change("change of the second", "second", {});
}

/** Adds a passkey of the member. */
export async function addPasskey(world: World): Promise<Assertions> {
  const { member = "", "member's session": session = "" } = world.ids;
  const authenticator = new SoftAuthenticator();
  authenticator.userHandle = Buffer.from(member.replaceAll("-", ""), "hex").toString("base64url");
  const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;
  world.put("passkey", "passkeys", {
    ...{ user_id: member, rp_id: RP_ID, aaguid: "00000000-0000-0000-0000-000000000000" },
    ...{ credential_id: hex(authenticator.id), public_key: hex(authenticator.publicKey) },
    ...{ backup_eligible: true, backed_up: true },
  });
  const respond = async (scope: Parameters<typeof issueChallengeToken>[1]): Promise<Response> => {
    const { challengeToken, challenge } = await issueChallengeToken(app, scope);
    return { challengeToken, response: authenticator.get({ challenge, rpId: RP_ID }) };
  };
  return {
    signIn: await respond({ purpose: "sign-in" }),
    proof: await respond({ purpose: "reauthenticate", userId: member, sessionId: session }),
  };
}
