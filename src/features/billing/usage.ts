import { countSeats } from "../../core/people/pending-invitations.ts";
import type { Counter } from "../../core/plans/limits.ts";
import { countTodos } from "../todos/count.ts";
import { countUnits } from "../units/read.ts";

/** How much of each limit an organization uses. A product adds its own here, and its name to the plan file. */
export const counters = {
  members: countSeats,
  units: countUnits,
  todos: countTodos,
} satisfies Record<string, Counter>;

export type LimitName = keyof typeof counters;
