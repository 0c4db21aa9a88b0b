import { randomOf } from "../../support/image-mutations.ts";
import { seedOf } from "../../support/seeds.ts";
import type { PlannedFault } from "./trouble.ts";

/** Faults end this long before the run does. */
const QUIET_MS = 5_000;

/** What fails in a fault, by its name: a short run has a fault of each. */
const GROUPS = [
  /instance|backends|feed/,
  /PostgreSQL|database/,
  /replica/,
  /SMTP/,
  /storage/,
  /payments/,
  /clock/,
];
const groupOf = (name: string) => GROUPS.findIndex((group) => group.test(name));

/**
 * Plans the faults of a run, evenly spread and in random order: first one of each group, then the others, each once before one
 * comes again.
 */
export function planOf(
  names: string[],
  { seed, count, minutes }: { seed: number; count: number; minutes: number },
): PlannedFault[] {
  const random = randomOf(seedOf(seed, "faults"));
  const takeFrom = (all: string[]) => all.splice(random(all.length), 1)[0] ?? "";
  const span = minutes * 60_000 - QUIET_MS;
  let left = [...names];
  const groups = [...new Set(names.map(groupOf))];
  const next = () => {
    if (groups.length === 0) {
      if (left.length === 0) left = [...names];
      return takeFrom(left);
    }
    const [group] = groups.splice(random(groups.length), 1);
    const name = takeFrom(left.filter((one) => groupOf(one) === group));
    left = left.filter((one) => one !== name);
    return name;
  };
  return Array.from({ length: count }, (_, index) => ({
    atMs: Math.round((span * (index + 0.5)) / count),
    name: next(),
    lastsMs: 500 + random(3_500),
    seed: random(1e9),
  }));
}
