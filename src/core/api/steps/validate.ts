import { ApiError, validationFailed } from "../../../platform/errors.ts";
import { queryOf } from "../../../platform/http/target.ts";
import type { Violation } from "../../../platform/violations.ts";
import { isObject } from "../../definitions/known-parts.ts";
import { inputReader } from "../input.ts";
import { takesFilters } from "../route.ts";
import type { StepOf } from "./incoming.ts";

const NO_PARAMS = {};

/** Validates path, query, headers and body together (rules 2.4, 6). */
export const validate: StepOf = (definition) => {
  const { acceptsAnyQuery, furtherViolations, idempotent, needsIdempotencyKey, request: parts } = definition;
  const { params, query, body } = parts ?? {};
  // Made at the first request: some schemas list names of features, which are loaded after this module.
  let reader: ReturnType<typeof inputReader> | null = null;
  const readInput: ReturnType<typeof inputReader> = (raw) => {
    reader ??= inputReader(
      { params, query, body },
      {
        filterHeaders: takesFilters(definition),
        idempotencyKey: idempotent && (needsIdempotencyKey ? "required" : "optional"),
      },
    );
    return reader(raw);
  };
  return async (incoming) => {
    const { c, request, json, form } = incoming;
    const read = () =>
      readInput({
        params: params === undefined ? NO_PARAMS : c.req.param(),
        query: acceptsAnyQuery ? "" : queryOf(request.url),
        body: form === null ? json : form.fields,
        headers: request.headers,
        form,
      });
    const input =
      furtherViolations === undefined
        ? read()
        : await withFurther(read, () =>
            isObject(json) ? furtherViolations(json, { ...incoming.service, actor: incoming.actor }) : [],
          );
    if (input.params !== null) c.req.addValidatedData("param", input.params);
    if (input.query !== null) c.req.addValidatedData("query", input.query);
    if (body?.kind === "json") c.req.addValidatedData("json", input.body ?? {});
    if (body?.kind === "form") c.req.addValidatedData("form", { ...input.body, images: form?.images ?? [] });
  };
};

/** Adds the violations that the schemas cannot express to those that the schemas found. */
async function withFurther<T>(read: () => T, further: () => Violation[] | Promise<Violation[]>): Promise<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.extra.errors === undefined) throw error;
    throw validationFailed([...error.extra.errors, ...(await further())]);
  }
}
