import { roleOf } from "./people.ts";
import { create, pick, pickPerson, reading, type Weighted } from "./work-context.ts";

/** Work of administrators in an organization: reads and changes. */
export const ORGANIZATION_WORK: Weighted = [
  [
    8,
    reading(
      ["ORG_ADMIN", "machine"],
      [
        ...[
          "/api/members",
          "/api/units",
          "/api/roles",
          "/api/members/invitations",
          "/api/webhooks/endpoints",
        ],
        ...["/api/organization/audit-events", "/api/organization/billing", "/api/events?pageSize=100"],
        "/api/organization/helpdesk/tickets",
      ],
    ),
  ],
  ...(["unit", "role"] as const).map((kind): Weighted[number] => [
    2,
    async (w, random, text) => {
      const body = {
        name: text,
        ...(kind === "unit" ? { parentId: null } : { permissions: ["Units.Read"] }),
      };
      const record = { path: `/api/${kind}s`, body, effect: { kind, text } };
      await create(w, random, pickPerson(w, random, "ORG_ADMIN", "machine"), record);
    },
  ]),
  [
    4,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const members = w.people.filter(
        ({ organization, role }) => organization === admin.organization && role === "MEMBER",
      );
      const member = pick(random, members);
      const unitId = pick(random, admin.organization?.units ?? []) ?? null;
      const body = { assignments: [{ roleId: roleOf("MEMBER"), unitId }] };
      const request = { method: "PATCH", path: `/api/members/${member?.id}/roles`, body };
      await w.client.send(admin, random(1_000), request, [200]);
    },
  ],
];
