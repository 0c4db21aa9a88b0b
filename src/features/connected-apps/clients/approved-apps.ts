import type { z } from "zod";
import {
  audit,
  authorize,
  type Config,
  conflict,
  exactlyOne,
  notFound,
  type OrganizationCall,
  type SignedInCall,
  sizeLimitReached,
  type Tx,
  transaction,
  type Violation,
  validationFailed,
} from "#kit";
import { withEndedApps } from "#kit/inside";
import * as queries from "#sql/oauth-clients";
import { isAppHost, isAppName } from "../app-name.ts";
import { documentUrl } from "../documents/addresses.ts";
import { endUncovered } from "../grants/end.ts";
import { type ApprovedApp, type ApprovedApps, NO_APP } from "./approved-schemas.ts";
import { presentCreator } from "./read.ts";

type Caller = OrganizationCall & SignedInCall;
type Row = Awaited<ReturnType<typeof queries.listApprovedApps.run>>[number];

const MAX_APPS = 200;

const present = (row: Row): z.output<typeof ApprovedApp> => ({
  id: row.id,
  app: row.app,
  addedBy: presentCreator(row),
  createdAt: row.createdAt.toISOString(),
});

/** Returns the apps that the organization approved, and those that the operator approved for every organization. */
export async function listApprovedApps({
  app: { config },
  db,
  organizationId,
}: OrganizationCall): Promise<z.output<typeof ApprovedApps>> {
  const rows = await queries.listApprovedApps.run({ organizationId }, db);
  return { data: rows.map(present), operator: [...config.appRules.approved].sort() };
}

/** Says that an app is neither a host nor the address of a document that may be read. */
export const nameViolations = (config: Config, app: unknown): Violation[] =>
  typeof app === "string" && isAppName(app) && !isAppHost(app) && documentUrl(app, config) === null
    ? [{ path: "app", message: `app ${NO_APP}` }]
    : [];

/** Approves an app in an organization. @throws validationFailed; conflict if it is approved; sizeLimitReached */
export async function approveApp(tx: Tx<Caller>, app: string): Promise<z.output<typeof ApprovedApp>> {
  const violations = nameViolations(tx.app.config, app);
  if (violations.length > 0) throw validationFailed(violations);
  const { organizationId } = tx;
  await authorize(tx, "Organization.Update");
  if (exactlyOne(await queries.countApprovedApps.run({ organizationId }, tx.db)).count >= MAX_APPS)
    throw sizeLimitReached("An organization has at most 200 approved apps", MAX_APPS);
  const values = { organizationId, app, createdById: tx.actor.userId };
  const [inserted] = await queries.insertApprovedApp.run(values, tx.db);
  if (inserted === undefined) throw conflict();
  await audit(tx, "APPROVED_APP_ADDED", { ...targetOf(tx, inserted.id), metadata: { app } });
  const rows = await queries.listApprovedApps.run({ organizationId }, tx.db);
  return present(exactlyOne(rows.filter(({ id }) => id === inserted.id)));
}

/** Takes an approval back. Under the policy `approved` the grants end that nothing else covers. @throws notFound */
export async function removeApprovedApp(call: Caller, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "Organization.Update", { worksInSuspended: true });
    const [deleted] = await queries.deleteApprovedApp.run({ id, organizationId }, tx.db);
    if (deleted === undefined) throw notFound();
    const { app } = deleted;
    const endedApps = await endUncovered(tx, organizationId, app);
    await audit(tx, "APPROVED_APP_REMOVED", {
      ...targetOf(tx, id),
      metadata: { app, ...withEndedApps(endedApps) },
    });
  });
}

const targetOf = ({ organizationId }: Pick<OrganizationCall, "organizationId">, id: string) => ({
  organizationId,
  target: { type: "approved_app", id } as const,
});
