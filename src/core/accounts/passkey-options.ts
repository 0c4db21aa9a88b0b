import * as queries from "#sql/people/passkeys";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { App } from "../context.ts";
import type { RequestOptions } from "./passkey-schemas.ts";

export const CEREMONY_MS = 300_000;

/** Returns the usable passkeys of an account, in the form of WebAuthn options. */
export async function listDescriptors(app: App, db: Queryable, userId: string) {
  const { rpId } = app.config.passkeys;
  const rows = await queries.listUsablePasskeys.run({ userId, rpId }, db);
  return rows.map(({ credentialId, transports }) => ({
    id: Buffer.from(credentialId, "hex").toString("base64url"),
    type: "public-key" as const,
    transports,
  }));
}

/** Returns the options for `navigator.credentials.get`. */
export const requestOptions = (
  { config: { passkeys } }: App,
  options: Pick<RequestOptions, "challenge" | "allowCredentials" | "userVerification">,
): RequestOptions => ({ timeout: CEREMONY_MS, rpId: passkeys.rpId, ...options });

/** Returns the second factors that an account can use at sign-in, in order of preference (rules 34.4). */
export async function listSecondFactors(
  { app, db }: { app: App; db: Queryable },
  userId: string,
): Promise<SecondFactorMethod[]> {
  const { rpId, mode } = app.config.passkeys;
  const [has] = await queries.findSecondFactors.run({ userId, rpId }, db);
  if (has === undefined) return [];
  return [
    ...(has.hasTotp ? (["code"] as const) : []),
    ...(has.hasRecoveryCodes ? (["recoveryCode"] as const) : []),
    ...(has.passkeys > 0 && mode !== "off" ? (["passkey"] as const) : []),
  ];
}

export type SecondFactorMethod = "code" | "recoveryCode" | "passkey";

/** Returns the number of the account's passkeys that can be used to sign in alone. */
export async function countPasskeys(
  { app, db }: { app: App; db: Queryable },
  userId: string,
): Promise<number> {
  const { rpId, mode } = app.config.passkeys;
  if (mode !== "on") return 0;
  return (await queries.listUsablePasskeys.run({ userId, rpId }, db)).filter(({ signsIn }) => signsIn).length;
}
