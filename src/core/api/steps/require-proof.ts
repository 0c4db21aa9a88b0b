import * as queries from "#sql/access";
import type { UserActor } from "../../access/access.ts";
import { assertOwnProof, assertRecentProof, credentialsProofAgeOf } from "../../authorize/recent-proof.ts";
import type { Service } from "../../context.ts";
import { isObject } from "../../definitions/known-parts.ts";
import type { Reauthentication, RouteDefinition } from "../route.ts";
import type { Incoming, StepOf } from "./incoming.ts";

/** Requires a recent proof of identity (rules 33.5), and in a confined session one of the account's own (rules 42.1). */
export const requireProof: StepOf = (definition) => {
  const { access, reauthentication: needed } = definition;
  const isOfAccount = access === "signed-in";
  if (needed === undefined && !isOfAccount) return null;
  return (incoming) => {
    const { actor } = incoming;
    // What needs a proof is not for apps; a route of which only some bodies need one refuses these itself.
    if (actor?.type !== "user" || actor.app) return;
    const isConfined = isOfAccount && actor.claims.confined === true;
    if (needed === undefined && !isConfined) return;
    return prove(incoming, actor, definition, isConfined);
  };
};

async function prove(
  { service, access, json }: Incoming,
  actor: UserActor,
  definition: RouteDefinition,
  isConfined: boolean,
): Promise<void> {
  if (isConfined) {
    // What works in a confined session needs no proof of the account's own, which that session cannot have.
    if (worksConfined(definition, json)) return;
    await assertOwnProof(service, actor);
  }
  const needed = definition.reauthentication;
  if (needed === undefined) return;
  const organizationId = isOfOrganization(needed) ? (access?.organizationId ?? null) : null;
  const maxAgeSeconds = await maxProofAgeIn(service, needed, organizationId);
  if (maxAgeSeconds === null) return;
  const { ifBodyHas, takesPassword } = needed;
  const has = (field: string, value?: boolean) =>
    isObject(json) && json[field] !== undefined && (value === undefined || json[field] === value);
  const fields = [ifBodyHas?.field ?? []].flat();
  if (ifBodyHas !== undefined && !fields.some((field) => has(field, ifBodyHas.value))) return;
  const isPasswordSent = takesPassword !== undefined && has("password");
  await assertRecentProof(service, actor, { maxAgeSeconds, organizationId, isPasswordSent });
}

function worksConfined({ worksConfined: works }: RouteDefinition, body: unknown): boolean {
  if (typeof works !== "object") return works ?? false;
  return !isObject(body) || works.withoutFields.every((field) => body[field] === undefined);
}

/**
 * Whether the proof is asked for a write in an organization, so that a proof by its connection counts and its own policy
 * may ask for a younger one. A proof of class `credentials` is always the account's own.
 */
const isOfOrganization = ({ classes }: Reauthentication): boolean =>
  !classes.includes("credentials") && classes.some((name) => name === "authority" || name === "billing");

/** Returns the maximum age in seconds of the proof that a route needs; null if it needs none. An organization may ask for a younger one. */
async function maxProofAgeIn(
  { app, db }: Service,
  { classes }: Reauthentication,
  organizationId: string | null,
): Promise<number | null> {
  const { sso, reauthenticationMinutes, reauthenticationFor } = app.config;
  if (classes.includes("credentials")) return credentialsProofAgeOf(app.config);
  const isConfigured = reauthenticationFor.some((name) => classes.includes(name));
  const [policy] = sso && organizationId !== null ? await queries.findPolicy.run({ organizationId }, db) : [];
  const minutes = [isConfigured ? reauthenticationMinutes : null, policy?.reauthenticationMinutes ?? null];
  const set = minutes.filter((one) => one !== null);
  return set.length === 0 ? null : Math.min(...set) * 60;
}
