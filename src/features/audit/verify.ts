import * as audit from "#sql/audit";
import * as seals from "#sql/audit-seals";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import {
  chainOf,
  digestOf,
  digestOfBatch,
  type EventColumns,
  eventsOfSeal,
  GONE,
  PLATFORM_CHAIN,
  type RetiredEmails,
  recordOf,
  retiredEmailsOf,
  type SealedEvent,
} from "./chain.ts";

/** Something that is not as it was sealed. */
export type Finding = {
  what: "changed" | "removed" | "inserted" | "backdated" | "broken" | "missing" | "dropped too early";
  /** The chain, as an organization's id or the nil UUID. */
  chain: string;
  eventId: string | null;
  detail: string;
};

/** The digest of a batch, as it was saved elsewhere. */
export type SavedHead = { chain: string; number: number; digest: string };

type Options = {
  /** Only this chain; null for all. */
  chain: string | null;
  /** For how many months events are kept, as far as it is known. */
  retentionMonths: number | null;
  saved: SavedHead[];
};

const SEALS_AT_ONCE = 200;
const EVENTS_AT_ONCE = 2_500;
/** So many are named, of each kind that is looked for in a period. */
const MAX_NAMED = 1_000;
/** An event may be sealed so long after its time: what takes longer was not there when everything was sealed. */
const LATE_MS = 3_600_000;

type Seal = Awaited<ReturnType<typeof seals.listSeals.run>>[number];
type Head = { chain: string; number: number; digest: string; caughtUpAt: number };

/**
 * Compares all events with the chains in which they were sealed, reading a few thousand at a time, and reports what differs. Only
 * reads, and holds no transaction, so that the service goes on.
 */
export async function verifyChains(db: Queryable, options: Options, report: (finding: Finding) => void) {
  const verification = new Verification(db, options, report);
  await verification.checkSeals();
  await verification.checkUnsealed();
  return verification.summary();
}

class Verification {
  private head: Head | null = null;
  private counts = { chains: 0, batches: 0, events: 0, dropped: 0 };
  private droppedUntil: Date | null = null;
  private readonly saved: Map<string, string>;

  constructor(
    private readonly db: Queryable,
    private readonly options: Options,
    private readonly report: (finding: Finding) => void,
  ) {
    this.saved = new Map(options.saved.map(({ chain, number, digest }) => [`${chain} ${number}`, digest]));
  }

  async checkSeals(): Promise<void> {
    await this.readPeriods();
    const { chain } = this.options;
    let after = { afterChain: PLATFORM_CHAIN, afterNumber: 0 };
    for (;;) {
      const page = await seals.listSeals.run({ chain, ...after, max: SEALS_AT_ONCE }, this.db);
      for (let some = page; some.length > 0; ) {
        const next = slice(some);
        await this.checkBatches(next);
        some = some.slice(next.length);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < SEALS_AT_ONCE) break;
      after = { afterChain: last.chain, afterNumber: last.number };
    }
    for (const place of this.saved.keys()) {
      const [chain = "", number] = place.split(" ");
      this.report({
        what: "missing",
        chain,
        eventId: null,
        detail: `batch ${number}, whose digest was saved`,
      });
    }
  }

  /** What is sealed nowhere: added past the triggers of the table, or removed before it was sealed. */
  async checkUnsealed(): Promise<void> {
    const { chain } = this.options;
    for (const { beginsAt, endsAt } of await this.readPeriods()) {
      const window = { from: beginsAt, until: endsAt, chain, max: MAX_NAMED };
      for (const event of await seals.listNeverSealed.run(window, this.db))
        this.reportEvent(
          "inserted",
          chainOf(event.organizationId),
          event,
          "is in no batch and waits for none",
        );
    }
    for (const { eventId, time, organizationId } of await seals.listVanished.run(
      { chain, max: MAX_NAMED },
      this.db,
    ))
      if (!this.isDropped(time))
        this.reportEvent("removed", chainOf(organizationId), { id: eventId, time }, "before it was sealed");
  }

  async summary() {
    const unsealed = exactlyOne(await seals.countUnsealed.run({ chain: this.options.chain }, this.db));
    return {
      ...this.counts,
      droppedUntil: this.droppedUntil,
      unsealed: unsealed.events,
      oldest: unsealed.oldest,
    };
  }

  /** Retention drops whole periods: then the first one that is left has a beginning. */
  private async readPeriods() {
    const periods = await audit.listPeriods.run(undefined, this.db);
    const beginsAt = periods[0]?.beginsAt ?? null;
    const isNew = beginsAt !== null && beginsAt.getTime() !== this.droppedUntil?.getTime();
    this.droppedUntil = beginsAt;
    const months = this.options.retentionMonths ?? 1;
    if (isNew && beginsAt > monthsAgo(months)) {
      const detail = `events up to ${beginsAt.toISOString()}, before they were ${months} months old`;
      this.report({ what: "dropped too early", chain: PLATFORM_CHAIN, eventId: null, detail });
    }
    return periods;
  }

  private isDropped(time: Date): boolean {
    return this.droppedUntil !== null && time < this.droppedUntil;
  }

  private async checkBatches(batches: Seal[]): Promise<void> {
    const sealed = batches.flatMap(eventsOfSeal);
    const given = { ids: sealed.map(({ id }) => id), times: sealed.map(({ time }) => time.toISOString()) };
    const events = await seals.listEventsAt.run(given, this.db);
    const retired = await retiredEmailsOf(this.db, events);
    const byId = new Map(events.map((event) => [event.id, event]));
    const missing = sealed.filter(({ id, digest }) => !byId.has(id) && digest !== GONE).map(({ id }) => id);
    if (missing.length > 0) await this.readPeriods();
    const existing = missing.length === 0 ? [] : await seals.listExisting.run({ ids: missing }, this.db);
    const elsewhere = new Set(existing.map(({ id }) => id));

    for (const batch of batches) {
      const listed = eventsOfSeal(batch);
      this.checkBatch(batch, listed);
      for (const one of listed) {
        const event = byId.get(one.id);
        const digest = event === undefined ? null : digestIn(batch.chain, event, retired);
        this.checkEvent(batch, one, digest, elsewhere.has(one.id));
      }
    }
  }

  /** Its place in the chain, its own digest, and the one that was saved. */
  private checkBatch(batch: Seal, events: SealedEvent[]): void {
    const { chain, number, digest } = batch;
    const previous = this.head?.chain === chain ? this.head : null;
    if (previous === null) this.counts.chains += 1;
    this.counts.batches += 1;
    const expected = (previous?.number ?? 0) + 1;
    if (number !== expected) {
      const detail = `batches ${expected} to ${number - 1} are not there`;
      this.report({ what: "missing", chain, eventId: null, detail });
    } else if (digestOfBatch({ ...batch, events }, previous?.digest ?? null) !== digest) {
      const ids = events.map(({ id }) => id).join(" ");
      const detail = `batch ${number} does not match its digest: it was changed, or events of it reordered: ${ids}`;
      this.report({ what: "broken", chain, eventId: null, detail });
    }
    const place = `${chain} ${number}`;
    const saved = this.saved.get(place);
    this.saved.delete(place);
    if (saved !== undefined && saved !== digest) {
      const detail = `batch ${number} has the digest ${digest}, but ${saved} was saved`;
      this.report({ what: "broken", chain, eventId: null, detail });
    }
    for (const event of events)
      if (previous !== null && event.time.getTime() < previous.caughtUpAt - LATE_MS)
        this.reportEvent(
          "backdated",
          chain,
          event,
          `was added after ${new Date(previous.caughtUpAt).toISOString()}`,
        );
    const caughtUpAt = batch.isCaughtUp ? batch.sealedAt.getTime() : (previous?.caughtUpAt ?? 0);
    this.head = { chain, number, digest, caughtUpAt };
  }

  private checkEvent(
    { chain, number }: Seal,
    sealed: SealedEvent,
    digest: string | null,
    isElsewhere: boolean,
  ) {
    this.counts.events += 1;
    if (digest === sealed.digest) return;
    const where = `is not as it was sealed in batch ${number}`;
    if (sealed.digest === GONE && digest !== null) this.reportEvent("inserted", chain, sealed, where);
    else if (digest !== null || isElsewhere) this.reportEvent("changed", chain, sealed, where);
    else if (this.isDropped(sealed.time)) this.counts.dropped += 1;
    else this.reportEvent("removed", chain, sealed, `was sealed in batch ${number}`);
  }

  private reportEvent(
    what: Finding["what"],
    chain: string,
    { id, time }: { id: string; time: Date },
    detail: string,
  ) {
    this.report({ what, chain, eventId: id, detail: `of ${time.toISOString()} ${detail}` });
  }
}

/** The digest of an event; of one that belongs to another chain none that a batch could have. */
const digestIn = (chain: string, event: EventColumns, retired: RetiredEmails): string =>
  chainOf(event.organizationId) === chain ? digestOf(recordOf(event, retired)) : "of another chain";

/** The first batches, of about as many events as are looked at together. */
function slice(batches: Seal[]): Seal[] {
  let events = 0;
  const end = batches.findIndex(({ eventIds }) => {
    events += eventIds.length;
    return events > EVENTS_AT_ONCE;
  });
  return end === -1 ? batches : batches.slice(0, Math.max(1, end));
}

function monthsAgo(months: number): Date {
  const date = new Date();
  date.setUTCMonth(date.getUTCMonth() - months);
  return date;
}
