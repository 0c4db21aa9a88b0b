import { PASSWORD } from "./people.ts";
import { ANYBODY, being, type Weighted } from "./workplace.ts";

/** What is downloaded as a whole: what breaks off must not look whole. */
export const OF_EXPORTS: Weighted = [
  [
    3,
    async (w, random) => {
      const admin = being(w, random, "ORG_ADMIN");
      const [{ events } = { events: 0 }] = await w.sql(
        `SELECT count(*)::int AS events FROM audit_events WHERE organization_id = '${admin.organization?.id}'`,
      );
      const path = "/api/organization/audit-events/export?format=ndjson&order=asc";
      const { status, text } = await w.client.send(admin, random(1_000), { method: "GET", path }, [200, 429]);
      const lines = text.split("\n").length - 1;
      if (status === 200 && (lines < Number(events) || !text.endsWith("\n")))
        w.found.push(`an export of ${lines} events was answered with 200, there are ${events}`);
    },
  ],
  [
    1,
    async (w, random) => {
      const person = being(w, random, ...ANYBODY);
      const { status, text } = await w.client.send(
        person,
        random(1_000),
        { method: "POST", path: "/api/profile/export", body: { password: PASSWORD } },
        [200, 429],
      );
      // The end of the central directory, without which no archive can be opened.
      if (status === 200 && !text.slice(-100).includes("PK\u0005\u0006"))
        w.found.push("an archive of personal data was answered with 200, and has no end");
    },
  ],
];
