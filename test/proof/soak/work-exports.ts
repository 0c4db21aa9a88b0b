import { PASSWORD } from "./people.ts";
import { MEMBERS, pickPerson, sendAs, type Weighted } from "./work-context.ts";

/** Work on exports. An incomplete export must not look complete. */
export const EXPORT_WORK: Weighted = [
  [
    3,
    async (w, random) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const [{ events } = { events: 0 }] = await w.sql(
        `SELECT count(*)::int AS events FROM audit_events WHERE organization_id = '${admin.organization?.id}'`,
      );
      const path = "/api/organization/audit-events/export?format=ndjson&order=asc";
      const { status, text } = await w.client.send(admin, random(1_000), { method: "GET", path }, [200, 429]);
      const lines = text.split("\n").length - 1;
      if (status === 200 && (lines < Number(events) || !text.endsWith("\n")))
        w.violations.push(`an export with 200 has ${lines} events, there are ${events}`);
    },
  ],
  [
    1,
    async (w, random) => {
      const request = { method: "POST", path: "/api/profile/export", body: { password: PASSWORD } };
      const { status, text } = await sendAs(w, random, MEMBERS, request, [200, 429]);
      // A ZIP archive cannot be opened if its end, the central directory, is missing.
      if (status === 200 && !text.slice(-100).includes("PK\u0005\u0006"))
        w.violations.push("an archive of personal data with 200 has no end");
    },
  ],
];
