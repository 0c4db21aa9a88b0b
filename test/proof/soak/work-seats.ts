import { as } from "../world/organization-actions.ts";
import { requestOf } from "../world/requests.ts";
import { NO_RESPONSE } from "./client.ts";
import { newVisitor, type Person } from "./people.ts";
import { pick, pickPerson, type Weighted, type Work, type WorkContext } from "./work-context.ts";

const NEWCOMER = "Newcomer";

const invite: Work = (w, random, text) => {
  const admin = pickPerson(w, random, "ORG_ADMIN");
  const body = { email: `${text.replaceAll(" ", "-")}@example.com`, ...as("MEMBER") };
  const request = requestOf(admin.world, ["founder", "POST /members/invitations", body]);
  return w.client.send(admin, random(1_000), request, [201, 403]);
};

/** Accepts an invitation by the mailed link. */
const accept: Work = async (w, random) => {
  const links = w.mails.flatMap((mail) => mail.links).filter((link) => link.includes("/accept-invitation"));
  const link = links.find((one) => !w.accepted.has(one));
  const [world] = w.worlds;
  if (link === undefined || world === undefined) return;
  w.accepted.add(link);
  const name = { firstName: "New", lastName: NEWCOMER, password: "another blue yonder" };
  const body = { token: new URL(link).searchParams.get("token"), ...name };
  const request = { method: "POST", path: "/api/auth/accept-invitation", body };
  const { status } = await w.client.send(newVisitor(world), random(1_000), request, [204, 400, 409]);
  if (status === NO_RESPONSE || status >= 500) w.accepted.delete(link);
};

/** Removes one of the rows of a list that have an id. */
const removing =
  (path: string, idOf: (row: Record<string, string>) => string | undefined): Work =>
  async (w, random) => {
    const admin = pickPerson(w, random, "ORG_ADMIN");
    const { body } = await w.client.read(admin, random(1_000), `${path}?pageSize=100`);
    const rows = (body.data ?? []) as Record<string, string>[];
    const ids = rows.flatMap((row) => idOf(row) ?? []);
    if (ids.length === 0) return;
    const request = { method: "DELETE", path: `${path}/${pick(random, ids)}` };
    return w.client.send(admin, random(1_000), request, [204, 404]);
  };

/** Work on seats: invitations and removals of members, so that the last seat is taken repeatedly. */
export const SEAT_WORK: Weighted = [
  [6, invite],
  [4, accept],
  [3, removing("/api/members/invitations", ({ id }) => id)],
  [3, removing("/api/members", ({ lastName, userId }) => (lastName === NEWCOMER ? userId : undefined))],
];

/** Compares the number of seats that billing shows with that of each organization, on each instance. */
export async function seatViolations(w: WorkContext, instances: number): Promise<string[]> {
  const violations: string[] = [];
  for (const { ids, people } of w.worlds) {
    const [{ seats } = { seats: null }] = await w.sql(`SELECT
      (SELECT count(*) FROM memberships m WHERE m.organization_id = '${ids.org}' AND NOT m.is_deleted)
      + (SELECT count(*) FROM pending_invitations i WHERE i.organization_id = '${ids.org}' AND i.is_usable) AS seats`);
    for (let instance = 0; instance < instances; instance += 1) {
      const admin = people.founder as Person;
      const { status, body } = await w.client.read(admin, instance, "/api/organization/billing");
      const limits = (body.limits ?? []) as { name: string; used: number }[];
      const used = limits.find(({ name }) => name === "members")?.used ?? 0;
      // The client reports a failure unless a fault excuses it.
      if (status === 200 && used !== Number(seats))
        violations.push(`billing shows ${used} seats of ${ids.org}, there are ${seats}`);
    }
  }
  return violations;
}
