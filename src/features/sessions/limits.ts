import { atOnce, MINUTE, often } from "#kit";

export const LIMITS = {
  failuresBeforeBotCheck: often("32.8", "failed sign-ins before the bot check", "address", 5, 15 * MINUTE),
  // Successful refreshes do not count, so that an address with many users, or with an attacker among them, can still
  // refresh.
  failedRefreshes: often("23.10", "refreshes that fail", "address", 60, MINUTE),
  // Refreshing needs no authentication. Six are fewer than there are connections for refreshes.
  refreshes: atOnce("23.10", "refreshes", { address: { max: 6, waiting: 500 } }),
};
