import { z } from "zod";
import { eventTypes } from "#kit";
import { exampleOf, type JsonSchema } from "#kit/inside";
import type { WebhookEventType } from "../webhooks/schemas.ts";

const ID = "0190c7a0-0000-7000-8000-000000000001";
const TIME = "2026-01-31T09:30:00.000Z";

function exampleOfEvent(type: string, object: Record<string, unknown>) {
  return {
    id: ID,
    sequence: type === TEST.type ? 0 : 42,
    type,
    version: 1,
    timestamp: TIME,
    organizationId: ID,
    actor: { type: "user", id: ID },
    requestId: ID,
    data: { object },
  };
}

const TEST = {
  type: "webhook.test",
  permission: null,
  description: "Sent by a test of an endpoint, to it alone.",
};

const shapeOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as JsonSchema;

let catalogue: z.output<typeof WebhookEventType>[] | null = null;

/** Returns every event type, with the permission that is needed to read such events, and an example. */
export function listEventTypes(): z.output<typeof WebhookEventType>[] {
  catalogue ??= [
    ...Object.entries(eventTypes()).map(([type, { object, permission, text }]) => {
      const record = exampleOf(shapeOf(object), {}) as Record<string, unknown>;
      return {
        type,
        version: 1 as const,
        permission,
        description: text,
        example: exampleOfEvent(type, record),
      };
    }),
    { ...TEST, version: 1, example: exampleOfEvent(TEST.type, { message: "This is a test." }) },
  ];
  return catalogue;
}
