import { memoizePerApp } from "#kit";
import { createCipher } from "#kit/inside";

/** Encrypts the secrets of connections and the results of their tests. @throws if single sign-on is off */
export const connectionCipher = memoizePerApp(({ config }) => {
  if (config.connectionKey === null) throw new Error("CONNECTION_ENCRYPTION_KEY is missing");
  return createCipher(config.connectionKey, "connections", config.connectionKeyPrevious);
});
