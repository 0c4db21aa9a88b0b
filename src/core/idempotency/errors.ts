import { defineError } from "../../platform/errors.ts";

export const idempotencyKeyInUse = defineError(
  409,
  "IDEMPOTENCY_KEY_IN_USE",
  "A request with this idempotency key is still running",
  () => ({ retryAfterSeconds: 1 }),
);
export const idempotencyKeyReused = defineError(
  422,
  "IDEMPOTENCY_KEY_REUSED",
  "This idempotency key was used for another request",
);
