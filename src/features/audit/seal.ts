import { exactlyOne, type JobKind, type Service, systemCall, type Tx, transaction } from "#kit";
import * as seals from "#sql/audit-seals";
import { type Batch, chainOf, digestOf, digestOfBatch, REMOVED_DIGEST, type SealedEvent } from "./chain.ts";
import { type EventColumns, pseudonymsIn, recordOf } from "./record.ts";

/**
 * The number of events per transaction. It keeps each transaction short, and requests of the same process
 * responsive, for any number of waiting events.
 */
const EVENTS_AT_ONCE = 1_000;
/** The maximum size of a batch. A batch is read, and returned as the proof of an event, as a whole. */
const EVENTS_OF_BATCH = 250;

/**
 * A job that runs every minute and seals the waiting events of all chains (rules 16.19). Each event was queued by
 * its own transaction, so no event is skipped, even if that transaction committed late.
 */
export const sealJobs: JobKind<Service>[] = [
  {
    queue: "audit.seal",
    schedule: "* * * * *",
    concurrency: 1,
    async run(service) {
      const sealMore = () => transaction(systemCall(service), sealSome);
      while ((await sealMore()) === EVENTS_AT_ONCE);
    },
  },
];

/**
 * Seals as many events as fit into one transaction; returns their number. Returns 0 while another process seals
 * events.
 */
async function sealSome(tx: Tx): Promise<number> {
  const { isMine, sealedAt } = exactlyOne(await seals.lockSealing.run(undefined, tx.db));
  if (!isMine) return 0;
  const unsealed = await seals.takeUnsealed.run({ max: EVENTS_AT_ONCE }, tx.db);
  if (unsealed.length === 0) return 0;
  const pseudonyms = await pseudonymsIn(tx.db, unsealed);
  const byChain = Map.groupBy(unsealed, ({ chain }) => chainOf(chain));
  const heads = await seals.listHeadsOf.run({ chains: [...byChain.keys()] }, tx.db);
  const headOf = new Map(heads.map((head) => [head.chain, head]));
  const isAll = unsealed.length < EVENTS_AT_ONCE;

  const added = [...byChain].flatMap(([chain, waiting]) => {
    const events = waiting
      .map((row): SealedEvent => {
        const digest = row.exists ? digestOf(recordOf(row as EventColumns, pseudonyms)) : REMOVED_DIGEST;
        return { id: row.id, time: row.time, digest };
      })
      .sort(byTimeAndId);
    let { number, position, digest } = headOf.get(chain) ?? { number: 0, position: 0, digest: null };
    const rows = [];
    for (let from = 0; from < events.length; from += EVENTS_OF_BATCH) {
      const part = events.slice(from, from + EVENTS_OF_BATCH);
      const isCaughtUp = isAll && from + part.length === events.length;
      number += 1;
      position += part.length;
      const batch: Batch = { chain, number, position, sealedAt, isCaughtUp, events: part };
      digest = digestOfBatch(batch, digest);
      rows.push(rowOf(batch, digest));
    }
    return rows;
  });
  await seals.insertSeals.run({ given: { seals: added } as never }, tx.db);
  return unsealed.length;
}

const byTimeAndId = (a: SealedEvent, b: SealedEvent) =>
  a.time.getTime() - b.time.getTime() || (a.id < b.id ? -1 : 1);

const rowOf = ({ events, ...batch }: Batch, digest: string) => ({
  ...batch,
  eventIds: events.map(({ id }) => id),
  eventTimes: events.map(({ time }) => time),
  eventDigests: events.map((event) => event.digest).join(""),
  digest,
});
