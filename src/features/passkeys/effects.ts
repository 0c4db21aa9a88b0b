import { audit, mail, notify, type Tx } from "#kit";
import { toAccount } from "#kit/inside";
import { authenticatorOf } from "../../core/accounts/authenticators.ts";

type Changed = { id: string; name: string; aaguid: string };

/**
 * Writes an audit event for each added or removed passkey, and notifies and mails their owner once. The actor is the
 * caller; without one, the owner, by a mailed link. If it is somebody else, the metadata names the owner.
 */
export async function tellOfPasskey(
  tx: Tx,
  what: "ADDED" | "REMOVED",
  owner: { id: string; email: string; language: "EL" | "EN" },
  passkeys: Changed[],
): Promise<void> {
  const actorId = tx.actor?.id ?? owner.id;
  for (const { id, name, aaguid } of passkeys)
    await audit(tx, `PASSKEY_${what}`, {
      actorId,
      target: { type: "passkey", id },
      metadata: {
        name,
        authenticator: authenticatorOf(aaguid),
        ...(actorId !== owner.id && { userId: owner.id }),
      },
    });
  await notify(tx, owner.id, `SIGN_IN_METHOD_${what}`, { provider: "passkey" });
  await mail(tx, {
    kind: what === "ADDED" ? "signInMethodAdded" : "signInMethodRemoved",
    ...toAccount(owner),
    data: { providerName: `Passkey “${passkeys.map(({ name }) => name).join("”, “")}”` },
  });
}
