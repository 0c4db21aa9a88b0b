import { randomOf } from "../../support/image-mutations.ts";
import { type Excuses, NO_RESPONSE } from "./client.ts";
import { type Environment, FAULTS } from "./faults.ts";

export type PlannedFault = { atMs: number; name: string; lastsMs: number; seed: number };

/** The time after a fault in which requests may still fail: pools reconnect, and requests get 503 after up to 8 s. */
const AFTERMATH_MS = 12_000;
/** The time after which all instances use correct clocks again. An instance reads its offset once a second. */
const CLOCK_MS = 3_000;

/** Runs the planned faults, and decides which failures they excuse. */
export class FaultRunner {
  readonly counts = new Map<string, number>();
  /** Descriptions of wrong reactions of instances to a fault. */
  readonly violations: string[] = [];
  private excusedUntil = 0;
  private anyRequestUntil = 0;
  private clocksUntil = 0;
  private slowUntil = 0;

  readonly excuses: Excuses = {
    failure: (status, path, startedAt) => {
      if (status === NO_RESPONSE || status === 503) {
        if (startedAt < this.anyRequestUntil) return true;
      }
      // An instance whose clock was changed rejects the signatures of the payment provider as too old or too new
      // (rules 19.13).
      if (status === 400 && path.endsWith("/webhook")) return startedAt < this.clocksUntil;
      // If storage or payments are unavailable, only requests that need them fail. These may wait longer than an
      // instance takes to stop.
      const isFailed = status === NO_RESPONSE || status >= 500;
      return startedAt < this.excusedUntil && isFailed && /support|helpdesk.*messages|webhook/.test(path);
    },
    isDatabaseSlow: (startedAt) => startedAt < this.slowUntil,
    token: (startedAt) => startedAt < this.clocksUntil,
  };

  constructor(
    private readonly environment: Environment,
    /** Called when a fault is injected. */
    private readonly onFault: (fault: PlannedFault) => void,
  ) {}

  async run(plan: PlannedFault[], started: number): Promise<void> {
    for (const fault of plan) {
      await Bun.sleep(Math.max(0, started + fault.atMs - performance.now()));
      await this.runFault(fault);
    }
  }

  private async runFault(planned: PlannedFault) {
    const { name, lastsMs, seed } = planned;
    const fault = FAULTS[name];
    if (fault === undefined) throw new Error(`No fault ${name}`);
    const excuse = (until: number, clocksUntil: number) => {
      this.excusedUntil = until;
      if (name === "move a clock") this.clocksUntil = clocksUntil;
      if (fault.slowsDatabase) this.slowUntil = until;
      if (fault.canFailAnyRequest) this.anyRequestUntil = until;
    };
    excuse(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    this.onFault(planned);
    const violation = await fault.run(this.environment, randomOf(seed), () => Bun.sleep(lastsMs));
    if (typeof violation === "string") this.violations.push(`${name}: ${violation}`);
    const now = performance.now();
    excuse(now + AFTERMATH_MS, now + CLOCK_MS);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
