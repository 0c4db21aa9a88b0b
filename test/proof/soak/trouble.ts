import { randomOf } from "../../support/image-mutations.ts";
import { type Excuses, NO_ANSWER } from "./client.ts";
import { changeKeys, FAULTS, type Surroundings } from "./faults.ts";

export type PlannedFault = { atMs: number; name: string; lastsMs: number; seed: number };

/** How long after a fault requests may still fail: pools reconnect, and clients get 503 for up to 8 s. */
const AFTERMATH_MS = 12_000;
/** An instance takes up to a second to notice how its clock was set. */
const CLOCK_MS = 3_000;

/** Breaks things by a plan, and knows what that excuses. */
export class Trouble {
  readonly counts = new Map<string, number>();
  /** How instances took a fault otherwise than they should. */
  readonly found: string[] = [];
  private excusedUntil = 0;
  private hardUntil = 0;
  private clocksUntil = 0;

  readonly excuses: Excuses = {
    answer: (status, path, startedAt) => {
      if (status === NO_ANSWER || status === 503) {
        if (startedAt < this.hardUntil) return true;
      }
      // The provider's signatures are too old, or too young, for an instance whose clock is wrong (rules 19.13).
      if (status === 400 && path.endsWith("/webhook")) return startedAt < this.clocksUntil;
      // Storage and payments that are away fail only what needs them; that may wait longer than an instance takes to stop.
      const isFailed = status === NO_ANSWER || status >= 500;
      return startedAt < this.excusedUntil && isFailed && /support|helpdesk.*messages|webhook/.test(path);
    },
    token: (startedAt) => startedAt < this.clocksUntil,
  };

  constructor(
    private readonly surroundings: Surroundings,
    private readonly environment: Record<string, string | undefined>,
    /** Called as a fault begins, with its name, how long it lasts, and a seed. */
    private readonly onFault: (fault: PlannedFault) => void,
  ) {}

  /** @param keysAtMs when all keys are changed, after the fault of that time */
  async run(plan: PlannedFault[], started: number, keysAtMs: number): Promise<void> {
    let hasNewKeys = false;
    for (const fault of plan) {
      await Bun.sleep(Math.max(0, started + fault.atMs - performance.now()));
      await this.break(fault);
      // Early, because what instances leak is seen only as long as they run.
      if (hasNewKeys || performance.now() - started < keysAtMs) continue;
      hasNewKeys = true;
      await changeKeys(this.surroundings, this.environment);
    }
    if (!hasNewKeys) await changeKeys(this.surroundings, this.environment);
  }

  private async break(planned: PlannedFault) {
    const { name, lastsMs, seed } = planned;
    const fault = FAULTS[name];
    if (fault === undefined) throw new Error(`No fault ${name}`);
    this.excusedUntil = Number.POSITIVE_INFINITY;
    if (name === "move a clock") this.clocksUntil = Number.POSITIVE_INFINITY;
    if (fault.isHard) this.hardUntil = Number.POSITIVE_INFINITY;
    this.onFault(planned);
    const wrong = await fault.run(this.surroundings, randomOf(seed), () => Bun.sleep(lastsMs));
    if (typeof wrong === "string") this.found.push(`${name}: ${wrong}`);
    const now = performance.now();
    this.excusedUntil = now + AFTERMATH_MS;
    if (fault.isHard) this.hardUntil = now + AFTERMATH_MS;
    if (name === "move a clock") this.clocksUntil = now + CLOCK_MS;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
