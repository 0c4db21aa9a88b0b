import { authenticate, findCaller } from "../authenticate.ts";
import type { StepOf } from "./incoming.ts";

/**
 * Verifies the access token or API key by the headers alone, before the body is read (rules 2.4, 2). A public route
 * with `optionalBearer` gets the claims of a valid token, and treats any other value like none.
 */
export const authenticateCaller: StepOf = (definition) =>
  definition.access === "public"
    ? definition.optionalBearer
      ? async ({ c, request, app }) => c.set("caller", await findCaller(request.headers, app))
      : null
    : async (incoming) => {
        incoming.actor = await authenticate(definition, incoming.request, incoming.context);
      };
