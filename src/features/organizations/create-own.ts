import { audit, exactlyOne, ORG_ADMIN, type SignedInCall, type Tx, tooManyRequests } from "#kit";
import { feedEntry } from "#kit/inside";
import * as queries from "#sql/organizations";
import { addMember } from "../../core/accounts/memberships.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { memberCreated } from "../members/events.ts";
import { LIMITS } from "./limits.ts";
import { startTrial } from "./plan.ts";
import { findOrganization } from "./read.ts";
import { slugBase } from "./slug.ts";

const { points, perSeconds: seconds } = LIMITS.ownOrganizations;

/**
 * Creates another organization for the caller, who becomes its administrator.
 * @throws unauthenticated for a deleted account or an ended session; tooManyRequests after five per day
 */
export async function createOrganizationForSelf(tx: Tx<SignedInCall>, name: string) {
  const { userId } = tx.actor;
  await lockAccount(tx);
  const created = exactlyOne(await queries.countCreated.run({ userId, seconds }, tx.db));
  if (created.count >= points) throw tooManyRequests(created.secondsLeft);
  const id = await createOrganizationForOwner(tx, { name, founderId: userId, origin: "SELF_SERVICE" });
  return findOrganization(tx, id);
}

type NewOwnedOrganization = { name: string; founderId: string; origin: "REGISTRATION" | "SELF_SERVICE" };

/**
 * Creates an organization with its creator as administrator; returns its id. A user's first organization starts
 * with the trial. Call under the user's lock. Others cannot see the organization before the commit.
 */
export async function createOrganizationForOwner(
  tx: Tx,
  { name, founderId, origin }: NewOwnedOrganization,
): Promise<string> {
  const isFirst = !exactlyOne(await queries.hasCreatedOrganization.run({ userId: founderId }, tx.db))
    .hasCreated;
  const id = await insertOrganization(tx, { name, slug: null, origin, foundedById: founderId });
  if (id === null) throw new Error("A generated slug cannot be taken");
  if (isFirst) await startTrial(tx, id);
  await addMember(tx, { organizationId: id, userId: founderId }, [{ roleId: ORG_ADMIN.id, unitId: null }]);
  await audit(tx, "ORGANIZATION_CREATED", {
    actorId: founderId,
    target: { type: "organization", id },
    metadata: { name },
  });
  await memberCreated(tx, { organizationId: id, userId: founderId, actorId: founderId });
  return id;
}

type NewOrganization = {
  name: string;
  /** The requested slug; null to derive it from the name. */
  slug: string | null;
  origin: "REGISTRATION" | "SELF_SERVICE" | "PLATFORM";
  foundedById: string | null;
};

/**
 * Inserts an organization. If `slug` is null, uses the first free slug for the name. Returns null if the requested
 * slug is taken.
 */
export async function insertOrganization(
  tx: Tx,
  { name, slug, origin, foundedById }: NewOrganization,
): Promise<string | null> {
  const { base, from } = await slugBase(name);
  for (;;) {
    const { number } = exactlyOne(await queries.findFreeSlugNumber.run({ base, from }, tx.db));
    const free = number === 1 ? base : `${base}-${number}`;
    const organization = { name, slug: slug ?? free, origin, foundedById };
    const [created] = await queries.insertOrganization.run(organization, tx.db);
    if (created !== undefined) {
      const { id } = created;
      const object = () => findOrganization(tx, id);
      await feedEntry(tx, "organization.created", { organizationId: id, id, object });
      return id;
    }
    if (slug !== null) return null;
    // A concurrent transaction took the slug. The next query sees that slug and finds another.
  }
}
