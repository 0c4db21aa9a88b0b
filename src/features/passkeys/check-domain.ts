import { exactlyOne, type Service } from "#kit";
import * as queries from "#sql/passkeys";

/** Logs at the start how many passkeys are bound to another domain than the configured one, and so no longer work. */
export async function checkDomainOfPasskeys({ app: { log, config }, db }: Service): Promise<void> {
  const { rpId, mode } = config.passkeys;
  if (mode === "off") return;
  const { count } = exactlyOne(await queries.countPasskeysOfOtherDomains.run({ rpId }, db));
  if (count > 0)
    log.warn("passkeys are bound to another WEBAUTHN_RP_ID", { credentials: count, domain: rpId });
}
