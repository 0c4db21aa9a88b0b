import { createHash } from "node:crypto";
import { exactlyOne, mail, notify, type Tx } from "#kit";
import { toAccount } from "#kit/inside";
import * as queries from "#sql/front-door";
import { networkOf } from "../../platform/http/client-address.ts";
import { type Device, deviceOf } from "./device.ts";
import { LIMITS } from "./limits.ts";

type Owner = { id: string; email: string; language: "EL" | "EN" };
type SignIn = {
  sessionId: string;
  method: "password" | "passkey" | "provider" | "sso";
  /** The key of the sign-in provider. */
  provider: string | null;
};

const { alertsInADay } = LIMITS;

/**
 * Tells the owner of an account of a completed sign-in from a browser and network that the account has not used in 90 days
 * (rules 32.6). Does nothing if alerts are off. Call under the user's lock, when the session has begun.
 */
export async function alertOfNewSignIn(tx: Tx, owner: Owner, signIn: SignIn): Promise<void> {
  if (!tx.app.config.signInAlerts) return;
  const { id: userId, email, language } = owner;
  const { ip, userAgent } = tx;
  const device = deviceOf(userAgent);
  const seen = exactlyOne(
    await queries.recordSignIn.run(
      {
        userId,
        digest: digestOf(userId, device, tx),
        alerts: alertsInADay.points,
        seconds: alertsInADay.perSeconds,
      },
      tx.db,
    ),
  );
  if (!seen.isNew) return;
  await notify(tx, userId, "NEW_SIGN_IN", { ...signIn, ip, userAgent });
  await mail(tx, { kind: "newSignIn", ...toAccount({ email, language }), data: { ...device, ip: ip ?? "" } });
  tx.afterCommit.push(async () => tx.app.meter.count("sign_in_alerts_total"));
}

/**
 * Returns the digest of a browser and its network, in hexadecimal. The account is part of it, so that equal digests of two
 * accounts do not show that their owners share a browser.
 */
function digestOf(userId: string, { browser, system }: Device, { ip, userAgent }: Tx): string {
  // An unknown program is known by the name with which its header begins.
  const family = browser ?? userAgent?.split("/", 1)[0] ?? "";
  const parts = [userId, family, system ?? "", networkOf(ip ?? "")];
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}
