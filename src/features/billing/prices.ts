import { memoizePerApp, type OrganizationCall } from "#kit";
import type { ProviderPrice } from "./provider.ts";

const KEPT_MS = 3_600_000;
/** The pause after a failed request for prices, before the provider is called again. */
const RETRY_MS = 60_000;
/** The maximum time that a page waits for the provider's prices. Prices that arrive later are shown the next time. */
const MAX_WAIT_MS = 1_000;

type Known = { prices: ProviderPrice[] | null; nextReadAt: number; reading: Promise<void> | null };

/** The payment provider's prices, as cached by an instance. */
const knownOf = memoizePerApp((): Known => ({ prices: null, nextReadAt: 0, reading: null }));

/**
 * Returns a function for the prices of a plan, sorted as in the configuration. The function returns null without
 * a provider, or if the provider could not be reached. Prices are read from the provider at most once an hour.
 */
export async function providerPrices({ app, db }: OrganizationCall) {
  const { prices: sold } = app.config.billing;
  const provider = app.payments;
  if (provider === null || sold.length === 0) return () => null;
  const known = knownOf(app);
  if (performance.now() >= known.nextReadAt) {
    known.reading ??= provider
      .listPrices(sold.map(({ priceId }) => priceId))
      .then(
        (prices) => Object.assign(known, { prices, nextReadAt: performance.now() + KEPT_MS }),
        () => Object.assign(known, { nextReadAt: performance.now() + RETRY_MS }),
      )
      .then(() => {
        known.reading = null;
      });
    const { reading } = known;
    if (known.prices === null)
      await db.excludeFromDeadline(() => Promise.race([reading, Bun.sleep(MAX_WAIT_MS)]));
  }
  return (plan: string) =>
    known.prices &&
    sold.flatMap(({ plan: key, interval, priceId }) => {
      const price = key === plan ? known.prices?.find(({ id }) => id === priceId) : undefined;
      return price === undefined ? [] : [{ ...price, interval }];
    });
}
