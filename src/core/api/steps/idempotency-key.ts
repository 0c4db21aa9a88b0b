import { readIdempotencyKey } from "../idempotent.ts";
import type { StepOf } from "./incoming.ts";

/** Reads the `Idempotency-Key` of a POST that can be repeated, and counts it for its limit (rules 2.4, 7). */
export const readKey: StepOf = (definition) =>
  definition.idempotent
    ? async (incoming) => {
        const { app, request, json, form, access } = incoming;
        if (access === null) return;
        const received = { app, request, body: form === null ? json : form.fields, form };
        incoming.idempotencyKey = await readIdempotencyKey(definition, access, received);
      }
    : null;
