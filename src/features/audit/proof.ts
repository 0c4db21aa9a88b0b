import type { z } from "zod";
import { exactlyOne, notFound, type Queryable, type Service } from "#kit";
import * as seals from "#sql/audit-seals";
import { chainOf, digestOf, eventsOfSeal } from "./chain.ts";
import type { AuditProof } from "./proof-schemas.ts";
import { pseudonymsIn, recordAsSealed } from "./record.ts";

type Proof = z.output<typeof AuditProof>;

/**
 * Returns the last batch of a chain of sealed events, with its digest: of an organization, or of events without
 * one. With an event, also returns the batch that contains the event (rules 16.20).
 * @throws notFound for an event of another chain
 */
export async function proofOf(
  { db }: Pick<Service, "db">,
  organizationId: string | null,
  eventId: string | null,
): Promise<Proof> {
  const chain = chainOf(organizationId);
  const event = eventId === null ? null : await proofOfEvent(db, organizationId, eventId);
  // The chain is read after the event: if the event is sealed, the chain is sealed at least up to it.
  const head = exactlyOne(await seals.findChain.run({ organizationId, chain }, db));
  return {
    organizationId,
    batch: head.number ?? 0,
    sealed: head.position ?? 0,
    digest: head.digest,
    sealedAt: head.sealedAt?.toISOString() ?? null,
    unsealed: head.unsealed,
    oldestUnsealedAt: head.oldestUnsealedAt?.toISOString() ?? null,
    event,
  };
}

async function proofOfEvent(
  db: Queryable,
  organizationId: string | null,
  id: string,
): Promise<Proof["event"]> {
  const [event] = await seals.findEvent.run({ id, organizationId }, db);
  if (event === undefined) throw notFound();
  const pseudonyms = await pseudonymsIn(db, [event]);
  const chain = chainOf(organizationId);
  const [seal] = await seals.findSealOf.run({ chain, id, time: event.time }, db);
  const events = seal === undefined ? [] : eventsOfSeal(seal);
  const index = events.findIndex((sealed) => sealed.id === id);
  const record = recordAsSealed(event, pseudonyms, events[index]?.digest ?? null);
  const shown = { id, digest: digestOf(record), record };
  if (seal === undefined) return { ...shown, position: null, batch: null };
  return {
    ...shown,
    position: seal.position - events.length + 1 + index,
    batch: {
      organizationId,
      number: seal.number,
      position: seal.position,
      sealedAt: seal.sealedAt.toISOString(),
      isCaughtUp: seal.isCaughtUp,
      previousDigest: seal.previous,
      events: events.map(({ time, ...sealed }) => ({ ...sealed, time: time.toISOString() })),
      digest: seal.digest,
    },
  };
}
