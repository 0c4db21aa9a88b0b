import type { z } from "zod";
import { notFound, type Tx, validationFailed } from "#kit";
import {
  MAX_MAILS_AN_HOUR,
  type Product,
  type ProductCall,
  type ReportedBy,
  reportOfProduct,
  theProduct,
} from "#kit/inside";
import * as queries from "#sql/product-api";
import { organizationOfKeyIsSuspended } from "../../core/access/errors.ts";
import type { Changed, Changes, Reach } from "./changes-schemas.ts";
import { lockedLimits, recordUsage } from "./ledger.ts";

/** What a report depends on, as it was read under the organization's lock. */
export type Place = Awaited<ReturnType<typeof queries.findPlaceOfChanges.run>>[number];

/**
 * Writes what a product reports: usage, audit entries, events and notifications, all or nothing (rules 36.9). Call it
 * in the transaction of the request.
 * @throws notFound without a live organization; validationFailed for an actor, a unit or a person that never was one of
 * the organization; organizationOfKeyIsSuspended, unless the report only lowers usage; planLimitReached
 */
export async function applyChanges(tx: Tx<ProductCall>, changes: Changes): Promise<z.output<typeof Changed>> {
  const { organizationId, usage, events } = changes;
  const by = reportedBy(changes);
  const limits = await lockedLimits(tx, organizationId, usage);
  const [place] = await queries.findPlaceOfChanges.run(
    {
      organizationId,
      unitIds: reachesOf(changes).flatMap(({ reach }) => unitOf(reach) ?? []),
      userIds: reachesOf(changes).flatMap(({ reach }) => personOf(reach) ?? []),
      notifiedIds: changes.notifications.flatMap(({ userIds }) => userIds),
      actorId: by.actorId,
      isMachine: by.isMachine,
      events: events.length,
      maxMails: MAX_MAILS_AN_HOUR,
    },
    tx.db,
  );
  if (place === undefined) throw notFound();
  assertKnown(changes, place);
  const ledger = await recordUsage(tx, organizationId, usage, limits);
  if (place.status === "SUSPENDED" && !ledger.onlyLowers) throw organizationOfKeyIsSuspended();
  ledger.assertWithinLimits();
  // While events are off, none is written.
  const eventIds = tx.app.config.events ? place.eventIds : [];
  const written = events.flatMap(({ object, previous, ...event }, nth) => {
    const id = eventIds[nth];
    return id === undefined
      ? []
      : [{ ...reached(event), id, data: { object, ...(previous && { previous }) } }];
  });
  const { notifications: types } = theProduct() as Product;
  const notifications = changes.notifications.flatMap(({ type, userIds, data }) => {
    const members = [...new Set(userIds)].filter((id) => place.notified.includes(id));
    const mailable = types[type]?.mail ? members.filter((id) => place.mailable.includes(id)) : [];
    return members.length === 0 ? [] : [{ type, data, userIds: members, mailable }];
  });
  await reportOfProduct(tx, by, { audit: changes.audit.map(reached), events: written, notifications });
  const notified = notifications.reduce((sum, { userIds }) => sum + userIds.length, 0);
  tx.app.meter.count("product_changes_total", { outcome: "applied" });
  return { usage: ledger.usage, eventIds, notified };
}

function reportedBy({ organizationId, actor, ip, requestId }: Changes): ReportedBy {
  const isMachine = actor !== null && "serviceAccountId" in actor;
  const actorId = actor === null ? null : "userId" in actor ? actor.userId : actor.serviceAccountId;
  return { organizationId, actorId, isMachine, ip: ip ?? null, requestId: requestId ?? null };
}

const unitOf = (reach: Reach): string | null =>
  typeof reach === "object" && "unitId" in reach ? reach.unitId : null;
const personOf = (reach: Reach): string | null =>
  typeof reach === "object" && "userId" in reach ? reach.userId : null;
const reached = <Entry extends { reach: Reach }>({ reach, ...entry }: Entry) => ({
  ...entry,
  unitId: unitOf(reach),
  userId: personOf(reach),
});

const reachesOf = ({ audit, events }: Changes): { path: string; reach: Reach }[] => [
  ...audit.map(({ reach }, index) => ({ path: `audit.${index}.reach`, reach })),
  ...events.map(({ reach }, index) => ({ path: `events.${index}.reach`, reach })),
];

/** Checks that actor, units and people are or were of the organization. @throws validationFailed, with all of them */
function assertKnown(changes: Changes, { isActor, units, people }: Place): void {
  const fault = (path: string, what: string) => ({
    path,
    message: `${path} must be ${what} of the organization`,
  });
  const faults = reachesOf(changes).flatMap(({ path, reach }) => {
    const [unit, person] = [unitOf(reach), personOf(reach)];
    if (unit !== null && !units.includes(unit)) return [fault(`${path}.unitId`, "a unit")];
    if (person !== null && !people.includes(person)) return [fault(`${path}.userId`, "a person")];
    return [];
  });
  if (!isActor) faults.unshift(fault("actor", "a present or recent member or service account"));
  if (faults.length > 0) throw validationFailed(faults);
}
