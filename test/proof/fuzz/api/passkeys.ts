import { randomBytes } from "node:crypto";
import { PASSKEYS, SoftAuthenticator } from "../../../support/authenticator.ts";
import type { Rows } from "../../../support/rows.ts";
import type { Service } from "../../../support/service.ts";
import { type CallerName, hasAccount } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

/** The callers that have a passkey. */
const OWNERS: CallerName[] = ["member", "orgAdmin", "stranger", "secondFactor", "platformAdmin", "removed"];

/** Adds passkeys, which sign in and prove the identity. */
export function addPasskeys(rows: Rows, { userIds, authenticators, recordedIds }: Fixture): void {
  for (const caller of OWNERS) {
    const authenticator = new SoftAuthenticator();
    authenticator.userHandle = Buffer.from(userIds[caller].replaceAll("-", ""), "hex").toString("base64url");
    authenticators.set(caller, authenticator);
    const id = rows.put("passkeys", {
      ...{ user_id: userIds[caller], aaguid: "00000000-0000-0000-0000-000000000000" },
      ...{ credential_id: hex(authenticator.id), public_key: hex(authenticator.publicKey) },
      ...{ backup_eligible: true, backed_up: true },
    });
    recordedIds.push({ kind: "passkey", id, caller });
  }
}

const hex = (bytes: Buffer) => `\\x${bytes.toString("hex")}`;

/** Asks for a challenge, and has the passkey of the caller, or a new one, respond to it. */
export async function respond(
  { callers, authenticators, ceremonies }: Fixture,
  caller: CallerName,
  path: string,
): Promise<void> {
  const begun = await callers[caller].post(path);
  if (begun.status !== 200) return;
  const { challengeToken, options } = begun.body;
  const authenticator = authenticators.get(caller) ?? new SoftAuthenticator();
  const response =
    path === `${PASSKEYS}/options` ? new SoftAuthenticator().create(options) : authenticator.get(options);
  ceremonies.set(caller, { challengeToken, response });
}

/** Begins a change of the caller's email, or completes one, and keeps its link. */
export async function beginEmailChange(
  t: Service,
  { userIds, callers, links }: Fixture,
  caller: CallerName,
  link: "old" | "new" | "undo",
): Promise<void> {
  const userId = userIds[caller];
  if (!hasAccount(caller)) return;
  const token = randomBytes(32).toString("base64url");
  const hashes = ["old", "new", "undo"].map((name) =>
    new Bun.CryptoHasher("sha256").update(name === link ? token : randomBytes(32)).digest("hex"),
  );
  const completed = link === "undo" ? "now() - interval '1 minute'" : "NULL";
  const [elsewhere, here] = [`moves-${crypto.randomUUID()}@example.com`, callers[caller].email];
  await t.sql("UPDATE email_changes SET canceled_at = now() WHERE user_id = $1 AND completed_at IS NULL", [
    userId,
  ]);
  await t.sql(
    `INSERT INTO email_changes (user_id, old_email, new_email, needs_old, old_token_hash, new_token_hash, undo_token_hash,
       expires_at, created_at, completed_at, undo_until)
     VALUES ($1, $2, $3, true, $4, $5, $6, now() + interval '1 day', now() - interval '2 hours', ${completed},
       (${completed})::timestamptz + interval '1 day')`,
    [userId, ...(link === "undo" ? [elsewhere, here] : [here, elsewhere]), ...hashes],
  );
  links.set(caller, token);
}
