import { NO_RESPONSE } from "./client.ts";
import { newBrowser, type Person, roleOf } from "./people.ts";
import { pick, pickPerson, sendAs, type Weighted, type WorkContext } from "./work-context.ts";

const NEWCOMER = "Newcomer";

/** Work on seats: invitations and removals of members, so that the last seat is taken repeatedly. */
export const SEAT_WORK: Weighted = [
  [
    6,
    async (w, random, text) => {
      const assignments = [{ roleId: roleOf("MEMBER"), unitId: null }];
      const body = { email: `${text.replaceAll(" ", "-")}@example.com`, assignments };
      const request = { method: "POST", path: "/api/members/invitations", body };
      await sendAs(w, random, ["ORG_ADMIN"], request, [201, 403]);
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
      const stranger = newBrowser({ id: "", email: "", role: "MEMBER", organization: null });
      const name = { firstName: "New", lastName: NEWCOMER };
      const body = {
        token: new URL(link).searchParams.get("token"),
        password: "another blue yonder",
        ...name,
      };
      const request = { method: "POST", path: "/api/auth/accept-invitation", body };
      const browser = { ...stranger, token: "" };
      const response = await w.client.send(browser, random(1_000), request, [204, 400, 409]);
      if (response.status === NO_RESPONSE || response.status >= 500) w.accepted.delete(link);
    },
  ],
  removing("/api/members/invitations", ({ id }) => id),
  removing("/api/members", ({ lastName, userId }) => (lastName === NEWCOMER ? userId : undefined)),
];

/** Removes one of the rows of a list that have an id. */
function removing(path: string, idOf: (row: Record<string, string>) => string | undefined): Weighted[number] {
  return [
    3,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const list = { method: "GET", path: `${path}?pageSize=100` };
      const { body } = await w.client.send(admin, random(1_000), list, [200]);
      const rows = (body.data ?? []) as Record<string, string>[];
      const id = pick(
        random,
        rows.flatMap((row) => idOf(row) ?? []),
      );
      if (id === undefined) return;
      await w.client.send(admin, random(1_000), { method: "DELETE", path: `${path}/${id}` }, [204, 404]);
    },
  ];
}

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
