import type { z } from "zod";
import { notFound, type OrganizationCall, type Queryable, unpagedList } from "#kit";
import * as queries from "#sql/domains";
import { type AssignmentRows, assignmentsFrom, presentAssignment } from "../members/present.ts";
import { recordOf } from "./record.ts";
import type { Domain, DomainQuery } from "./schemas.ts";

type DomainRow = Awaited<ReturnType<typeof queries.listDomains.run>>[number];
type Shown = z.output<typeof Domain>;

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

/** Returns the roles of people who join by the domain. */
export const assignmentsOf = ({ assignments }: DomainRow) => assignmentsFrom(assignments as AssignmentRows);

/** Returns a domain as its reader sees it: a setup link does not see who may join. */
const presentDomain = (
  { app: { config }, actor }: Pick<OrganizationCall, "app" | "actor">,
  row: DomainRow,
): Shown => ({
  id: row.id,
  domain: row.domain,
  status: row.status as Shown["status"],
  record: recordOf(config, row.domain, row.value),
  connectionId: row.connectionId,
  join: actor.type === "setup_link" ? null : (row.joinMode as Shown["join"]),
  joinAssignments:
    actor.type === "setup_link" ? null : assignmentsOf(row).map((one) => presentAssignment(one)),
  verifiedAt: timeOf(row.verifiedAt),
  checkedAt: timeOf(row.checkedAt),
  missingSince: timeOf(row.missingSince),
  createdAt: row.createdAt.toISOString(),
});

/** Returns the domains of the organization, all on one page, sorted by name. */
export async function listDomains(call: OrganizationCall, { page }: z.output<typeof DomainQuery>) {
  const rows = await queries.listDomains.run({ organizationId: call.organizationId }, call.db.lists);
  return unpagedList(
    page,
    rows.map((row) => presentDomain(call, row)),
  );
}

/** Returns a domain of the organization. @throws notFound */
export async function findDomain(db: Queryable, organizationId: string, id: string): Promise<DomainRow> {
  const [row] = await queries.listDomains.run({ id, organizationId }, db);
  if (row === undefined) throw notFound();
  return row;
}

/** Returns a domain of the organization as its reader sees it. @throws notFound */
export const showDomain = async (
  call: Pick<OrganizationCall, "app" | "actor" | "organizationId"> & { db: Queryable },
  id: string,
) => presentDomain(call, await findDomain(call.db, call.organizationId, id));
