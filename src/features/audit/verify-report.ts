import type { Queryable } from "#kit";
import * as audit from "#sql/audit";
import { PLATFORM_CHAIN } from "./chain.ts";
import { monthsAgo } from "./periods.ts";

/** A difference between the stored events and the digests in their batches. */
export type Finding = {
  what: "changed" | "removed" | "inserted" | "backdated" | "broken" | "missing" | "dropped too early";
  /** The id of the chain: an organization's id or the nil UUID. */
  chain: string;
  eventId: string | null;
  detail: string;
};

export type Report = (finding: Finding) => void;

/** The digest of a batch that was saved outside of the service. */
export type SavedHead = { chain: string; number: number; digest: string };

/** Reports a difference of one event, with the event's id. */
export function reportEvent(
  report: Report,
  what: Finding["what"],
  chain: string,
  { id, time }: { id: string; time: Date },
  detail: string,
): void {
  report({ what, chain, eventId: id, detail: `of ${time.toISOString()} ${detail}` });
}

/**
 * Decides which events retention may have dropped (rules 16.18): only whole periods, so all events from before the
 * oldest remaining partition.
 */
export class DroppedPeriods {
  until: Date | null = null;

  constructor(
    private readonly db: Queryable,
    private readonly retentionMonths: number | null,
    private readonly report: Report,
  ) {}

  /** Reads the existing periods, and reports periods that were dropped too early. */
  async read() {
    const periods = await audit.listPeriods.run(undefined, this.db);
    const until = periods[0]?.beginsAt ?? null;
    const isNew = until !== null && until.getTime() !== this.until?.getTime();
    this.until = until;
    const months = this.retentionMonths;
    if (isNew && (months === null || until > monthsAgo(months))) {
      const why =
        months === null
          ? "though without RETENTION_AUDIT_MONTHS none ever are"
          : `before they were ${months} months old`;
      const detail = `events up to ${until.toISOString()}, ${why}`;
      this.report({ what: "dropped too early", chain: PLATFORM_CHAIN, eventId: null, detail });
    }
    return periods;
  }

  has(time: Date): boolean {
    return this.until !== null && time < this.until;
  }
}
