import { allowsApps } from "../../access/access.ts";
import { authenticate, findCaller, refuseApps } from "../authenticate.ts";
import type { StepOf } from "./incoming.ts";

/**
 * Verifies the access token or API key by the headers alone, before the body is read (rules 2.4, 2). A public route
 * with `optionalBearer` gets the claims of a valid token, and treats any other value like none. One that reads the refresh cookie rejects apps.
 */
export const authenticateCaller: StepOf = (definition) =>
  definition.access === "public"
    ? definition.optionalBearer
      ? async ({ c, request, app }) => c.set("caller", await findCaller(request.headers, app))
      : allowsApps(definition)
        ? null
        : ({ request }) => refuseApps(request.headers)
    : async (incoming) => {
        incoming.actor = await authenticate(definition, incoming.request, incoming.context);
      };
