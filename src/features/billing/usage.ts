import { countSeats } from "../../core/accounts/pending-invitations.ts";
import type { LimitName } from "../../core/definitions/plan-names.ts";
import type { Counter } from "../../core/plans/limits.ts";
import { countServiceAccounts } from "../service-accounts/count.ts";
import { countTodos } from "../todos/count.ts";
import { countUnits } from "../units/read.ts";
import { countEndpoints } from "../webhooks/read.ts";

/** Returns how much of each limit an organization uses. */
export const counters = {
  members: countSeats,
  units: countUnits,
  todos: countTodos,
  serviceAccounts: countServiceAccounts,
  webhookEndpoints: countEndpoints,
} satisfies Record<LimitName, Counter>;
