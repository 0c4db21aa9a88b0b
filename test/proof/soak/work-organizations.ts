import { roleOf } from "./people.ts";
import { create, pick, pickPerson, type Weighted } from "./work-context.ts";

/** Work of administrators in an organization: reads and changes. */
export const ORGANIZATION_WORK: Weighted = [
  [
    8,
    async (w, random) => {
      const lists = [
        "/api/members",
        "/api/units",
        "/api/roles",
        "/api/organization/audit-events",
        "/api/organization/billing",
        "/api/organization/helpdesk/tickets",
        "/api/members/invitations",
        "/api/events?pageSize=100",
        "/api/webhooks/endpoints",
      ];
      await w.client.send(
        pickPerson(w, random, "ORG_ADMIN", "machine"),
        random(1_000),
        { method: "GET", path: pick(random, lists) ?? "" },
        [200],
      );
    },
  ],
  [
    2,
    async (w, random, text) => {
      await create(w, random, pickPerson(w, random, "ORG_ADMIN", "machine"), {
        ...{ path: "/api/units", body: { name: text, parentId: null }, effect: { kind: "unit", text } },
      });
    },
  ],
  [
    2,
    async (w, random, text) => {
      const body = { name: text, permissions: ["Units.Read"] };
      await create(w, random, pickPerson(w, random, "ORG_ADMIN", "machine"), {
        path: "/api/roles",
        body,
        effect: { kind: "role", text },
      });
    },
  ],
  [
    4,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const members = w.people.filter(
        ({ organization, role }) => organization === admin.organization && role === "MEMBER",
      );
      const member = pick(random, members);
      const units = admin.organization?.units ?? [];
      const assignments = [{ roleId: roleOf("MEMBER"), unitId: pick(random, units) ?? null }];
      await w.client.send(
        admin,
        random(1_000),
        { method: "PATCH", path: `/api/members/${member?.id}/roles`, body: { assignments } },
        [200],
      );
    },
  ],
];
