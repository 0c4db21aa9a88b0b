import { createHmac } from "node:crypto";
import { type ApiResponse, Caller } from "./caller.ts";
import { expectStatus, type Service } from "./service.ts";

/* An authenticator app that does not use the service's TOTP library, so that tests would notice errors of either. */

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** Returns the TOTP code of a step (RFC 6238, six digits, SHA-1). */
export function codeOfStep(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

export const currentStep = (): number => Math.floor(Date.now() / 30_000);

/** Waits for the next TOTP step if the current one ends soon, for tests that need the same step throughout. */
export async function untilStepLasts(seconds = 8): Promise<void> {
  const leftMs = 30_000 - (Date.now() % 30_000);
  if (leftMs < seconds * 1000) await Bun.sleep(leftMs + 50);
}

/** An account with an enabled second factor, and its secrets. */
export type Factor = {
  person: Caller;
  recoveryCodes: string[];
  secret: string;
  /** Returns the code of the current step, or of one `drift` steps away. */
  code(drift?: number): string;
  /** Forgets the last used step, so that a test can use a code of the current step again. */
  rewind(): Promise<void>;
};

/** Creates a user who has enabled the second factor through the API. By default the current step is not used up. */
export async function withTwoFactor(t: Service, person?: Caller, { rewound = true } = {}): Promise<Factor> {
  const owner = person ?? (await t.person());
  const { password } = owner.account;
  const { secret } = expectStatus(await owner.post("/api/profile/2fa/setup", { password }), 200).body;
  const code = (drift = 0) => codeOfStep(fromBase32(secret), currentStep() + drift);
  const enabled = await owner.post("/api/profile/2fa/enable", { code: code() });
  const { recoveryCodes } = expectStatus(enabled, 200).body;
  const rewind = async () => {
    await t.sql(
      `UPDATE two_factor_secrets SET last_step = NULL
       WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [owner.email],
    );
  };
  if (rewound) await rewind();
  await forgetAttempts(t, owner);
  return { person: owner, recoveryCodes, secret, code, rewind };
}

/** Deletes the failed attempts of the last 15 minutes. */
export const forgetAttempts = (t: Service, { email }: Caller) =>
  t.sql("DELETE FROM failed_attempts WHERE user_id = (SELECT id FROM users WHERE email = $1)", [email]);

/** Signs in with password in another browser; returns it with the challenge for the second factor. */
export async function challenge(
  person: Caller,
  url = person.url,
): Promise<{ browser: Caller; challengeToken: string }> {
  const browser = new Caller(url, person.account);
  const { body } = expectStatus(await browser.login(), 200);
  if (browser.accessToken !== null || browser.cookie !== null)
    throw new Error("Signed in without a second factor");
  return { browser, challengeToken: body.challengeToken };
}

export const verify = (browser: Caller, body: Record<string, unknown>): Promise<ApiResponse> =>
  browser.post("/api/auth/2fa/verify", body);

/** Returns a code that is currently invalid. */
export function wrongCode({ code }: Pick<Factor, "code">): string {
  const good = [-2, -1, 0, 1, 2].map(code);
  return (
    ["000000", "111111", "222222", "333333", "444444", "555555"].find((one) => !good.includes(one)) ?? ""
  );
}
