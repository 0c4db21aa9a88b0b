import { z } from "@hono/zod-openapi";
import { filter } from "../../core/api/paging.ts";
import { timestamp, uuid } from "../../core/definitions/fields.ts";

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: DIGEST });
const count = (description: string) => z.int().min(0).openapi({ description, example: 1234 });
const organizationId = uuid
  .nullable()
  .openapi({ description: "Null for the events without an organization." });

const SealedEvent = z
  .object({
    id: uuid.describe("The id of the event."),
    time: timestamp.describe("When the event happened."),
    digest: digest.openapi({ description: "Zeros for an event that was gone before it was sealed." }),
  })
  .openapi("SealedAuditEvent");

const Batch = z
  .object({
    organizationId,
    number: count("From 1, without a gap."),
    position: count("Of its last event in the chain."),
    sealedAt: timestamp.describe("When the batch was sealed."),
    isCaughtUp: z
      .boolean()
      .openapi({ description: "Whether nothing else of the chain was waiting.", example: true }),
    previousDigest: digest.nullable().openapi({ description: "Of the batch before; null for the first." }),
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
        "SHA-256 of `record` as canonical JSON (RFC 8785), computed now: it is also in the batch if the event is as it was sealed.",
    }),
    record: z.record(z.string(), z.unknown()).openapi({
      description:
        "What is stored of the event. Texts of the metadata that are email addresses are replaced by `email-sha256:` and the SHA-256 of `retired email: ` and the address.",
      example: {
        id: "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
        action: "UNIT_CREATED",
        metadata: { name: "Sales" },
      },
    }),
    position: count("In the chain.").nullable().openapi({ description: "In the chain; null if not sealed." }),
    batch: Batch.nullable().openapi({ description: "Null if the event is not sealed." }),
  })
  .openapi("AuditEventProof");

export const AuditProof = z
  .object({
    organizationId,
    batch: count("The number of the last batch; 0 if there is none."),
    sealed: count("How many events are sealed, dropped ones too: the position of the last one."),
    digest: digest
      .nullable()
      .openapi({ description: "Of the last batch, and by it of the whole chain: save it elsewhere." }),
    sealedAt: timestamp.nullable().describe("When the last batch was sealed; null if there is none."),
    unsealed: count("How many events wait to be sealed, which usually takes a minute."),
    oldestUnsealedAt: timestamp.nullable().openapi({ description: "The time of the oldest of these." }),
    event: EventProof.nullable().openapi({ description: "What `eventId` names; null without it." }),
  })
  .openapi("AuditProof");

export const ProofQuery = z.strictObject({
  eventId: filter(uuid, "Also returns the proof of this event."),
});
