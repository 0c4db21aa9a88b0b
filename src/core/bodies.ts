import { BodyReader } from "../platform/http/body.ts";
import { LIMITS } from "./definitions/limits.ts";
import { createFormMemory } from "./forms/form-body-reader.ts";

const TEN_SECONDS = 10_000;

/** Creates the body readers of an instance, one for each kind of body, so that no kind locks out another. */
export const createBodyReaders = () => ({
  json: new BodyReader(LIMITS.jsonBodies.levels, TEN_SECONDS),
  raw: new BodyReader(LIMITS.webhookBodies.levels, TEN_SECONDS),
  formMemory: createFormMemory(),
  /** The time limit for receiving a form. It is longer than clients wait for a response. */
  formMilliseconds: 300_000,
});
export type BodyReaders = ReturnType<typeof createBodyReaders>;
