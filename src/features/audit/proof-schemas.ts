import { z } from "@hono/zod-openapi";
import { filter, timestamp, uuid } from "#kit";

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: DIGEST });
const count = (description: string) => z.int().min(0).openapi({ description, example: 1234 });
const organizationId = uuid.nullable().openapi({
  description:
    "The organization whose events the chain seals; null for the chain of events without an organization.",
});

const SealedEvent = z
  .object({
    id: uuid.describe("The id of the event."),
    time: timestamp.describe("When the event happened."),
    digest: digest.openapi({
      description: "The digest of the event. All zeros if the event had been removed before it was sealed.",
    }),
  })
  .openapi("SealedAuditEvent");

const Batch = z
  .object({
    organizationId,
    number: count("The number of the batch in the chain, from 1 without gaps."),
    position: count("The position of the batch's last event in the chain."),
    sealedAt: timestamp.describe("When the batch was sealed."),
    isCaughtUp: z.boolean().openapi({
      description: "Whether no event of the chain was waiting when this batch was sealed.",
      example: true,
    }),
    previousDigest: digest
      .nullable()
      .openapi({ description: "The digest of the previous batch; null for the first batch." }),
    events: z.array(SealedEvent).describe("The events of the batch, in the order of the chain."),
    digest: digest.openapi({
      description: "SHA-256 of the other properties of this object, as canonical JSON (RFC 8785).",
    }),
  })
  .openapi("AuditBatch");

const EventProof = z
  .object({
    id: uuid.describe("The id of the event."),
    digest: digest.openapi({
      description:
        "SHA-256 of `record` as canonical JSON (RFC 8785), computed for this response. If the event is unchanged, the batch has the same digest.",
    }),
    record: z.record(z.string(), z.unknown()).openapi({
      description:
        "The stored fields of the event. Each metadata text that is an email address is replaced by `email-sha256:` and the SHA-256 of `retired email: ` followed by the address.",
      example: {
        id: "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
        action: "UNIT_CREATED",
        metadata: { name: "Sales" },
      },
    }),
    position: count("In the chain.")
      .nullable()
      .openapi({ description: "The position of the event in the chain; null if it is not sealed." }),
    batch: Batch.nullable().openapi({
      description: "The sealed batch that contains the event; null if the event is not sealed yet.",
    }),
  })
  .openapi("AuditEventProof");

export const AuditProof = z
  .object({
    organizationId,
    batch: count("The number of the last batch in the chain of sealed batches; 0 if there is none."),
    sealed: count(
      "The number of sealed events, including events dropped by retention. Equals the position of the last event.",
    ),
    digest: digest.nullable().openapi({
      description:
        "The digest of the last batch, which covers the whole chain. Save it outside of this service.",
    }),
    sealedAt: timestamp.nullable().describe("When the last batch was sealed; null if there is none."),
    unsealed: count(
      "The number of events that are not sealed yet. Events are usually sealed within a minute.",
    ),
    oldestUnsealedAt: timestamp.nullable().openapi({
      description: "The time of the oldest event that is not sealed; null if all events are sealed.",
    }),
    event: EventProof.nullable().openapi({
      description: "The proof of the event in `eventId`; null without `eventId`.",
    }),
  })
  .openapi("AuditProof");

export const ProofQuery = z.strictObject({
  eventId: filter(uuid, "The id of an event whose proof is returned too."),
});
