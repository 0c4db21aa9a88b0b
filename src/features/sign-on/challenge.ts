import { type App, memoizePerApp } from "#kit";
import { createCipher } from "#kit/inside";
import type { Answer } from "./answer.ts";

/** What the provider said, and the version of the connection's provider and claims: it waits for the second factor. */
type Waiting = { answer: Answer; version: number };

const cipherOf = memoizePerApp(({ config: { connectionKey, connectionKeyPrevious } }: App) => {
  if (connectionKey === null) throw new Error("A sign-in by a connection without CONNECTION_ENCRYPTION_KEY");
  return createCipher(connectionKey, "sso answer", connectionKeyPrevious);
});

/** Encrypts what a provider said, for the database. */
export const sealAnswer = (app: App, waiting: Waiting): string => cipherOf(app).encrypt(waiting);

export const openAnswer = (app: App, sealed: string): Waiting => cipherOf(app).decrypt(sealed) as Waiting;

/** Like `sealAnswer`, for the result of a test. */
export const sealResult = (app: App, result: object): string => cipherOf(app).encrypt(result);
export const openResult = (app: App, sealed: string): unknown => cipherOf(app).decrypt(sealed);
