import { expect, test } from "bun:test";
import { storeEvent } from "../../support/audit.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { eventsByBar } from "../../support/overview.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();
const HISTOGRAM = "/api/organization/audit-events/histogram";

test("the audit histogram counts the events that the list returns with the same filters, in at most 120 bars", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const actors = await Promise.all([org.admin, unitAdmin].map((who) => userIdOf(t, who)));
  for (const [seconds, interval] of [
    [3_000, "minute"],
    [90_000, "hour"],
    [40 * 86_400, "day"],
    [400 * 86_400, "week"],
    [1_500 * 86_400, "month"],
  ] as const) {
    for (let number = 0; number < 10; number += 1) {
      const time = new Date(Date.now() - (seconds * 1_000 * number) / 10).toISOString();
      for (const actorId of actors)
        await storeEvent(t, { organizationId: org.id, actorId, action: "UNIT_CREATED", time });
    }
    const day = new Date(Date.now() - seconds * 500).toISOString();
    for (const caller of [org.admin, unitAdmin])
      for (const query of ["", "action=UNIT_CREATED", `from=${day}`, `to=${day}`, "search=unit"]) {
        const { body } = expectStatus(await caller.get(`${HISTOGRAM}?${query}`), 200);
        expect(body.data.length).toBeLessThanOrEqual(120);
        expect(body.data.map(({ count }: { count: number }) => count)).toEqual(
          await eventsByBar(caller, query, body.data),
        );
        if (query === "") expect(body.interval).toBe(interval);
      }
  }
  expectStatus(await (await org.member({ role: "MEMBER" })).get(HISTOGRAM), 403);
  expectStatus(await org.admin.get(`${HISTOGRAM}?sort=time`), 400);
});
