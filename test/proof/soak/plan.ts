import { randomOf } from "../../support/image-mutations.ts";
import { seedOf } from "../../support/seeds.ts";
import type { PlannedFault } from "./fault-runner.ts";

/** The time in ms between the last fault and the end of the run. */
const QUIET_MS = 5_000;

/** Groups of faults, selected by name. A short run injects a fault of each group. */
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
 * Plans the faults of a run, evenly distributed and in random order: first one of each group, then the others. Each
 * is injected once before one is repeated.
 */
export function planOf(
  names: string[],
  { seed, count, minutes }: { seed: number; count: number; minutes: number },
): PlannedFault[] {
  const random = randomOf(seedOf(seed, "faults"));
  const drawFrom = (names: string[]) => names.splice(random(names.length), 1)[0] ?? "";
  const span = minutes * 60_000 - QUIET_MS;
  let left = [...names];
  const groups = [...new Set(names.map(groupOf))];
  const next = () => {
    if (groups.length === 0) {
      if (left.length === 0) left = [...names];
      return drawFrom(left);
    }
    const [group] = groups.splice(random(groups.length), 1);
    const name = drawFrom(left.filter((one) => groupOf(one) === group));
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
