import { notFound } from "../../../platform/errors.ts";
import { checkAccess } from "../guard.ts";
import type { StepOf } from "./incoming.ts";

/** Authorizes the caller (rules 2.4, 3 to 5). */
export const checkCallerAccess: StepOf = (definition) =>
  definition.access === "public"
    ? null
    : async (incoming) => {
        const { actor, request, service, json } = incoming;
        if (actor === null) return;
        const access = checkAccess(definition, actor, request.headers, service, json);
        incoming.access = access instanceof Promise ? await access : access;
      };

/** Returns 404 to people on routes for API keys or for apps; after validation, as for a record that does not exist. */
export const refusePeople: StepOf = ({ access }) =>
  access === "api-key" || access === "app"
    ? ({ actor }) => {
        if (actor?.type === "user" && (access === "api-key" || !actor.app)) throw notFound();
      }
    : null;
