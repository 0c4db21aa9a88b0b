import { createHash } from "node:crypto";
import { NO_ANSWER } from "./client.ts";
import { type Person, roleOf } from "./people.ts";
import { being, create, pick, type Weighted } from "./workplace.ts";

/** What administrators and strangers change in an organization, and what the payment provider tells. */
export const OF_ORGANIZATIONS: Weighted = [
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
      ];
      await w.client.send(
        being(w, random, "ORG_ADMIN"),
        random(1_000),
        { method: "GET", path: pick(random, lists) ?? "" },
        [200],
      );
    },
  ],
  [
    2,
    async (w, random, text) => {
      await create(w, random, being(w, random, "ORG_ADMIN"), {
        ...{ path: "/api/units", body: { name: text, parentId: null }, effect: { kind: "unit", text } },
      });
    },
  ],
  [
    2,
    async (w, random, text) => {
      const body = { name: text, permissions: ["Units.Read"] };
      await create(w, random, being(w, random, "ORG_ADMIN"), {
        path: "/api/roles",
        body,
        effect: { kind: "role", text },
      });
    },
  ],
  [
    4,
    async (w, random) => {
      const admin = being(w, random, "ORG_ADMIN");
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
  [
    4,
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
      const stranger: Person = {
        id: "",
        email: "",
        role: "MEMBER",
        organization: null,
        token: "",
        cookie: null,
      };
      const body = {
        token: new URL(link).searchParams.get("token"),
        password: "another blue yonder",
        firstName: "New",
        lastName: "Person",
      };
      const answer = await w.client.send(
        { ...stranger },
        random(1_000),
        { method: "POST", path: "/api/auth/accept-invitation", body },
        [204, 400, 409],
      );
      if (answer.status === NO_ANSWER || answer.status >= 500) w.accepted.delete(link);
    },
  ],
  [
    2,
    async (w, random, text) => {
      const customer = being(w, random, "ORG_ADMIN").organization?.customer ?? "";
      const id = `evt_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
      const { body, signature } = w.payments.event("customer.subscription.updated", { customer }, { id });
      await w.client.send(
        being(w, random, "MEMBER"),
        random(1_000),
        {
          method: "POST",
          path: "/api/billing/webhook",
          raw: body,
          headers: { "stripe-signature": signature },
        },
        [200],
      );
    },
  ],
];
