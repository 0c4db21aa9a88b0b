import { notFound } from "../../../platform/errors.ts";
import { admit } from "../admit.ts";
import type { StepOf } from "./incoming.ts";

/** Decides whether the caller may call the route, and in which organization (rules 2.4, 3 to 5). */
export const checkCallerAccess: StepOf = (definition) =>
  definition.access === "public"
    ? null
    : async (incoming) => {
        const { actor, request, service } = incoming;
        if (actor !== null) incoming.access = await admit(definition, actor, request.headers, service);
      };

/** Returns 404 to people on routes for API keys or for apps; after validation, as for a record that does not exist. */
export const refusePeople: StepOf = ({ access }) =>
  access === "api-key" || access === "app"
    ? ({ actor }) => {
        if (actor?.type === "user" && (access === "api-key" || !actor.app)) throw notFound();
      }
    : null;
