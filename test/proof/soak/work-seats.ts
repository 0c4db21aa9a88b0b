import { NO_RESPONSE } from "./client.ts";
import { newBrowser, type Person, roleOf } from "./people.ts";
import { pick, pickPerson, type Weighted, type WorkContext } from "./work-context.ts";

const NEWCOMER = "Newcomer";

/** Work on seats: invitations and removals of members, so that the last seat is taken repeatedly. */
export const SEAT_WORK: Weighted = [
  [
    6,
    async (w, random, text) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const assignments = [{ roleId: roleOf("MEMBER"), unitId: null }];
      const body = { email: `${text.replaceAll(" ", "-")}@example.com`, assignments };
      await w.client.send(
        admin,
        random(1_000),
        { method: "POST", path: "/api/members/invitations", body },
        [201, 403],
      );
    },
  ],
  [
    4,
    async (w, random) => {
      const mail = w.mails.find(({ links }) =>
        links.some((link) => link.includes("/accept-invitation") && !w.accepted.has(link)),
      );
      const link = mail?.links.find((one) => one.includes("/accept-invitation")) ?? "";
      if (link === "") return;
      w.accepted.add(link);
      const stranger = {
        ...newBrowser({ id: "", email: "", role: "MEMBER", organization: null }),
        token: "",
      };
      const body = {
        token: new URL(link).searchParams.get("token"),
        password: "another blue yonder",
        firstName: "New",
        lastName: NEWCOMER,
      };
      const response = await w.client.send(
        stranger,
        random(1_000),
        { method: "POST", path: "/api/auth/accept-invitation", body },
        [204, 400, 409],
      );
      if (response.status === NO_RESPONSE || response.status >= 500) w.accepted.delete(link);
    },
  ],
  [
    3,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const { body } = await w.client.send(
        admin,
        random(1_000),
        { method: "GET", path: "/api/members/invitations?pageSize=100" },
        [200],
      );
      const pending = pick(random, rowsOf(body));
      if (pending !== undefined)
        await w.client.send(
          admin,
          random(1_000),
          { method: "DELETE", path: `/api/members/invitations/${pending.id}` },
          [204, 404],
        );
    },
  ],
  [
    3,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const { body } = await w.client.send(
        admin,
        random(1_000),
        { method: "GET", path: "/api/members?pageSize=100" },
        [200],
      );
      const member = pick(
        random,
        rowsOf(body).filter(({ lastName }) => lastName === NEWCOMER),
      );
      if (member !== undefined)
        await w.client.send(
          admin,
          random(1_000),
          { method: "DELETE", path: `/api/members/${member.userId}` },
          [204, 404],
        );
    },
  ],
];

const rowsOf = ({ data }: Record<string, unknown>) => (data ?? []) as Record<string, string>[];

/** Compares the number of seats that billing shows with that of each organization, on each instance. */
export async function seatViolations(w: WorkContext, instances: number): Promise<string[]> {
  const violations: string[] = [];
  const admins = new Map(
    w.people.flatMap((person) => (person.role === "ORG_ADMIN" ? [[person.organization, person]] : [])),
  );
  for (const [organization, admin] of admins) {
    const [{ seats } = { seats: null }] = await w.sql(`SELECT
      (SELECT count(*) FROM memberships m WHERE m.organization_id = '${organization?.id}' AND NOT m.is_deleted)
      + (SELECT count(*) FROM pending_invitations i WHERE i.organization_id = '${organization?.id}' AND i.is_usable) AS seats`);
    for (let instance = 0; instance < instances; instance += 1) {
      const used = await usedSeats(w, admin, instance);
      if (used !== null && used !== Number(seats))
        violations.push(`billing shows ${used} seats of ${organization?.id}, there are ${seats}`);
    }
  }
  return violations;
}

/**
 * Returns the seats that billing shows, or null if the request fails. The client reports the failure unless a fault
 * excuses it.
 */
async function usedSeats({ client }: WorkContext, admin: Person, instance: number): Promise<number | null> {
  const request = { method: "GET", path: "/api/organization/billing" };
  const { status, body } = await client.send(admin, instance, request, [200]);
  if (status !== 200) return null;
  const limits = body.limits as { name: string; used: number }[];
  return limits.find(({ name }) => name === "members")?.used ?? 0;
}
