import type { Queryable } from "#kit";
import * as seals from "#sql/audit-seals";
import { chainOf, digestOf, digestOfBatch, eventsOfSeal, REMOVED_DIGEST, type SealedEvent } from "./chain.ts";
import { type EventColumns, type Pseudonyms, pseudonymsIn, recordAsSealed } from "./record.ts";
import { type DroppedPeriods, type Report, reportEvent, type SavedHead } from "./verify-report.ts";

export type Seal = Awaited<ReturnType<typeof seals.listSeals.run>>[number];
type Head = { chain: string; number: number; digest: string; caughtUpAt: number };

/**
 * The tolerance for late events: an event is reported as backdated if its time is more than this before a moment up
 * to which all events had been sealed earlier.
 */
const LATE_MS = 3_600_000;

/** Verifies batches, in chain order, and compares their events with the stored events. */
export class BatchCheck {
  readonly counts = { chains: 0, batches: 0, events: 0, dropped: 0 };
  private head: Head | null = null;
  private readonly saved: Map<string, SavedHead>;

  constructor(
    private readonly db: Queryable,
    private readonly dropped: DroppedPeriods,
    saved: SavedHead[],
    private readonly report: Report,
  ) {
    this.saved = new Map(saved.map((head) => [placeOf(head), head]));
  }

  async check(batches: Seal[]): Promise<void> {
    const listed = batches.map((batch) => ({ batch, sealed: eventsOfSeal(batch) }));
    const sealed = listed.flatMap((part) => part.sealed);
    const given = { ids: sealed.map(({ id }) => id), times: sealed.map(({ time }) => time.toISOString()) };
    const events = await seals.listEventsAt.run(given, this.db);
    const pseudonyms = await pseudonymsIn(this.db, events);
    const byId = new Map(events.map((event) => [event.id, event]));
    const missing = sealed
      .filter(({ id, digest }) => !byId.has(id) && digest !== REMOVED_DIGEST)
      .map(({ id }) => id);
    // No stored event has the id and the time from the batch: retention may have dropped the event just now, or its
    // time was changed.
    if (missing.length > 0) await this.dropped.read();
    const existing = missing.length === 0 ? [] : await seals.listExisting.run({ ids: missing }, this.db);
    const elsewhere = new Set(existing.map(({ id }) => id));

    for (const { batch, sealed } of listed) {
      this.checkBatch(batch, sealed);
      for (const one of sealed) {
        const event = byId.get(one.id);
        const digest = event === undefined ? null : digestIn(batch.chain, event, pseudonyms, one.digest);
        this.checkEvent(batch, one, digest ?? (elsewhere.has(one.id) ? "of another time" : null));
      }
    }
  }

  /** Reports saved chain heads whose batches do not exist. */
  reportMissing(): void {
    for (const { chain, number } of this.saved.values())
      this.report({
        what: "missing",
        chain,
        eventId: null,
        detail: `batch ${number}, whose digest was saved`,
      });
  }

  /**
   * Checks a batch's position in the chain and its digest, and compares it with the digest that was saved outside
   * of the service.
   */
  private checkBatch(batch: Seal, events: SealedEvent[]): void {
    const { chain, number, digest } = batch;
    const previous = this.head?.chain === chain ? this.head : null;
    if (previous === null) this.counts.chains += 1;
    this.counts.batches += 1;
    const expected = (previous?.number ?? 0) + 1;
    const find = (what: "missing" | "broken", detail: string) =>
      this.report({ what, chain, eventId: null, detail });
    if (number !== expected) find("missing", `batches ${expected} to ${number - 1} are not there`);
    // Batches are found by their columns for the first and last time. The digest covers not these columns but the
    // times of the events.
    else if (!batch.hasItsTimes || digestOfBatch({ ...batch, events }, previous?.digest ?? null) !== digest) {
      const ids = events.map(({ id }) => id).join(" ");
      find(
        "broken",
        `batch ${number} does not match its digest: it was changed, or events reordered: ${ids}`,
      );
    }
    const saved = this.saved.get(placeOf(batch));
    this.saved.delete(placeOf(batch));
    if (saved !== undefined && saved.digest !== digest)
      find("broken", `batch ${number} has the digest ${digest}, but ${saved.digest} was saved`);

    const caughtUpAt = previous?.caughtUpAt ?? 0;
    const since = `was added after ${new Date(caughtUpAt).toISOString()}`;
    for (const event of events)
      if (event.time.getTime() < caughtUpAt - LATE_MS)
        reportEvent(this.report, "backdated", chain, event, since);
    this.head = {
      chain,
      number,
      digest,
      caughtUpAt: batch.isCaughtUp ? batch.sealedAt.getTime() : caughtUpAt,
    };
  }

  /**
   * Compares an event with the batch that contains it.
   * @param digest the digest of the stored event; null if the event does not exist
   */
  private checkEvent({ chain, number }: Seal, sealed: SealedEvent, digest: string | null): void {
    this.counts.events += 1;
    if (digest === sealed.digest) return;
    if (digest === null && this.dropped.has(sealed.time)) {
      this.counts.dropped += 1;
      return;
    }
    const appeared = sealed.digest === REMOVED_DIGEST ? "inserted" : "changed";
    const what = digest === null ? "removed" : appeared;
    reportEvent(this.report, what, chain, sealed, `is not as it was sealed in batch ${number}`);
  }
}

const placeOf = ({ chain, number }: { chain: string; number: number }) => `${chain} ${number}`;

/**
 * Returns the digest of an event. For an event that belongs to another chain, returns a value that no batch
 * contains.
 */
const digestIn = (chain: string, event: EventColumns, pseudonyms: Pseudonyms, sealed: string): string =>
  chainOf(event.organizationId) === chain
    ? digestOf(recordAsSealed(event, pseudonyms, sealed))
    : "of another chain";
