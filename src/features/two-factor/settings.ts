import * as queries from "#sql/two-factor";
import { unauthenticated } from "../../core/access/errors.ts";
import type { SignedInCall } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { notify } from "../../core/effects/notify.ts";
import { twoFactorNotEnabled } from "../../core/people/errors.ts";
import { type Account, confirmed } from "../../core/people/reauthenticate.ts";
import { turnOff } from "../../core/people/turn-off-two-factor.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { conflict } from "../../platform/errors.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { countRecoveryCodes, replaceRecoveryCodes, useCode, useTotp } from "./codes.ts";
import { twoFactorAlreadyEnabled } from "./errors.ts";
import { qrCode } from "./qr-code.ts";
import { encryptSecret } from "./secret.ts";
import { newSecret, otpauthUrl } from "./totp.ts";

/** Whether it is on, since when, and how many recovery codes are left. @throws unauthenticated */
export async function getTwoFactor({ app, actor }: SignedInCall) {
  const { userId } = actor;
  const [user] = await queries.findEnabledAt.run({ userId }, app.db);
  if (user === undefined) throw unauthenticated();
  const enabledAt = user.twoFactorEnabledAt?.toISOString() ?? null;
  const recoveryCodesLeft = await countRecoveryCodes(app.db, userId);
  return { enabled: enabledAt !== null, enabledAt, recoveryCodesLeft };
}

/**
 * Offers a secret, which replaces one that was offered before; it counts from the first code on.
 * @throws as `confirmed`; twoFactorAlreadyEnabled
 */
export async function setUpTwoFactor(call: SignedInCall, given: { password?: string | undefined }) {
  const secret = newSecret();
  return confirmed(
    call,
    { asks: ["password"], given, refuse: refuseEnabled },
    async (tx, { id: userId, email }) => {
      await queries.upsertSecret.run({ userId, sealedSecret: encryptSecret(tx.app, userId, secret) }, tx.db);
      const issuer = new URL(tx.app.config.appUrl).hostname;
      const url = otpauthUrl(secret, { issuer, label: email });
      return { secret, otpauthUrl: url, qrCode: qrCode(url) };
    },
  );
}

/**
 * Turns it on by the first code of the secret that was offered; answers the recovery codes.
 * @throws as `confirmed`; twoFactorAlreadyEnabled; conflict where nothing was offered
 */
export async function enableTwoFactor(call: SignedInCall, given: { code: string }) {
  const refuse = async (account: Account, db: Queryable) => {
    refuseEnabled(account);
    if ((await queries.findSecret.run({ userId: account.id }, db)).length === 0) throw conflict();
  };
  const takeCode = byTotp;
  return confirmed(call, { asks: [], given, refuse, takeCode }, async (tx, account) => {
    const { id: userId } = account;
    await queries.markEnabled.run({ userId }, tx.db);
    const recoveryCodes = await replaceRecoveryCodes(tx, userId);
    const metadata = { via: "self" } as const;
    await audit(tx, "TWO_FACTOR_ENABLED", { target: { type: "user", id: userId }, metadata });
    await notify(tx, userId, "TWO_FACTOR_ENABLED", metadata);
    await mail(tx, {
      kind: "twoFactorEnabled",
      to: account.email,
      language: fromStored(account.language),
      data: {},
    });
    return { recoveryCodes };
  });
}

/** Turns it off. @throws as `confirmed`; twoFactorNotEnabled */
export async function disableTwoFactor(
  call: SignedInCall,
  given: { password?: string | undefined; code: string },
): Promise<void> {
  const takeCode = byAnyCode;
  await confirmed(call, { asks: ["password"], given, refuse: refuseDisabled, takeCode }, async (tx, { id }) =>
    turnOff(tx, id, "self"),
  );
}

/** Makes new recovery codes; the old ones are dead. @throws as `confirmed`; twoFactorNotEnabled */
export async function regenerateRecoveryCodes(call: SignedInCall, given: { code: string }) {
  const takeCode = byTotp;
  return confirmed(
    call,
    { asks: [], given, refuse: refuseDisabled, takeCode },
    async (tx, { id: userId }) => {
      const recoveryCodes = await replaceRecoveryCodes(tx, userId);
      await audit(tx, "TWO_FACTOR_RECOVERY_CODES_REGENERATED", {
        target: { type: "user", id: userId },
        metadata: { via: "self" },
      });
      return { recoveryCodes };
    },
  );
}

type TakeCode = NonNullable<Parameters<typeof confirmed>[1]["takeCode"]>;
const byTotp: TakeCode = (tx, { id }, code) => useTotp(tx, id, code);
const byAnyCode: TakeCode = (tx, { id }, code) => useCode(tx, id, code);

function refuseEnabled({ hasTwoFactor }: Account): void {
  if (hasTwoFactor) throw twoFactorAlreadyEnabled();
}

function refuseDisabled({ hasTwoFactor }: Account): void {
  if (!hasTwoFactor) throw twoFactorNotEnabled();
}
