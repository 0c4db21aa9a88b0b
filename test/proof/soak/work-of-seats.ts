import { NO_ANSWER } from "./client.ts";
import { browserOf, roleOf } from "./people.ts";
import { being, pick, type Weighted, type Workplace } from "./workplace.ts";

const NEWCOMER = "Newcomer";

/** Who comes into an organization, and leaves it, so that its last seat is given away again and again. */
export const OF_SEATS: Weighted = [
  [
    6,
    async (w, random, text) => {
      const admin = being(w, random, "ORG_ADMIN");
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
      const stranger = { ...browserOf({ id: "", email: "", role: "MEMBER", organization: null }), token: "" };
      const body = {
        token: new URL(link).searchParams.get("token"),
        password: "another blue yonder",
        firstName: "New",
        lastName: NEWCOMER,
      };
      const answer = await w.client.send(
        stranger,
        random(1_000),
        { method: "POST", path: "/api/auth/accept-invitation", body },
        [204, 400, 409],
      );
      if (answer.status === NO_ANSWER || answer.status >= 500) w.accepted.delete(link);
    },
  ],
  [
    3,
    async (w, random) => {
      const admin = being(w, random, "ORG_ADMIN");
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
      const admin = being(w, random, "ORG_ADMIN");
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

/** What billing shows of each organization's seats, on each instance, where it is not what there is. */
export async function seatViolations(w: Workplace, instances: number): Promise<string[]> {
  const found: string[] = [];
  const admins = new Map(
    w.people.flatMap((person) => (person.role === "ORG_ADMIN" ? [[person.organization, person]] : [])),
  );
  for (const [organization, admin] of admins) {
    const [{ seats } = { seats: null }] = await w.sql(`SELECT
      (SELECT count(*) FROM memberships m WHERE m.organization_id = '${organization?.id}' AND NOT m.is_deleted)
      + (SELECT count(*) FROM pending_invitations i WHERE i.organization_id = '${organization?.id}' AND i.is_working) AS seats`);
    for (let instance = 0; instance < instances; instance += 1) {
      const { body } = await w.client.send(
        admin,
        instance,
        { method: "GET", path: "/api/organization/billing" },
        [200],
      );
      const used = (body.limits as { name: string; used: number }[]).find(
        ({ name }) => name === "members",
      )?.used;
      if (used !== Number(seats))
        found.push(`billing shows ${used} seats of ${organization?.id}, there are ${seats}`);
    }
  }
  return found;
}
