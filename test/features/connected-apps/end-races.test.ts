import { expect, test } from "bun:test";
import {
  type Code,
  codeFields,
  connect,
  insertCode,
  refreshFields,
  statusOf,
  token,
} from "../../support/app-codes.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { ROUNDS } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

/* What apps do, all at once, against what ends their grants at another instance: no token works after both (rules 46.54, AP44). */

const { t, urls } = await raceCluster();
const [first, second] = urls;

type Person = { org: Organization; person: Caller };
type Prepared = () => Promise<number>;

/** Each end is prepared before the race, and then sent to the second instance. */
const ENDS: Record<string, (of: Person) => Promise<Prepared>> = {
  removal:
    async ({ org, person }) =>
    async () =>
      (await org.admin.at(second).delete(`/api/members/${idOf(person)}`)).status,
  reset: async ({ person }) => {
    const link = await resetToken(t, person.email);
    const body = { token: link, newPassword: "a new blue yonder" };
    return async () => (await t.anonymous(second).post("/api/auth/reset-password", body)).status;
  },
  revocation:
    async ({ person }) =>
    async () =>
      (await person.at(second).delete("/api/profile/connected-apps")).status,
  policy:
    async ({ org }) =>
    async () =>
      (await org.admin.at(second).patch("/api/organization", { connectedApps: "off" })).status,
};

/** What an app does meanwhile; returns the access tokens that it then has. */
const USES: Record<string, (of: Person) => Promise<() => Promise<string[]>>> = {
  redemption: async ({ org, person }) => {
    const code: Code = await insertCode(t, org, {}, person);
    return async () => tokensOf(await token(t, codeFields(code), { url: first }));
  },
  refresh: async ({ org, person }) => {
    const { tokens } = await connect(t, org, {}, person);
    return async () => [
      tokens.access_token,
      ...tokensOf(await token(t, refreshFields(tokens.refresh_token), { url: first })),
    ];
  },
  request: async ({ org, person }) => {
    const { tokens } = await connect(t, org, {}, person);
    return async () => {
      const app = t.anonymous(first);
      app.accessToken = tokens.access_token;
      const { status } = await app.post("/api/units", { name: crypto.randomUUID(), parentId: null });
      expect([201, 401, 403]).toContain(status);
      return [tokens.access_token];
    };
  },
};

function tokensOf({
  status,
  body,
}: {
  status: number;
  body: { access_token: string; error: string };
}): string[] {
  if (status === 200) return [body.access_token];
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
  return [];
}

/** The end begins some milliseconds later or earlier than the uses. */
const LEADS = Array(Math.ceil(ROUNDS / 5))
  .fill([0, 5, -5])
  .flat();

for (const [end, prepareEnd] of Object.entries(ENDS))
  test(`${Object.keys(USES).join(", ")} against ${end}: afterwards no token of their grants works`, async () => {
    const org = await createOrganization(t);
    for (const lead of LEADS) {
      await t.sql("UPDATE organizations SET connected_apps = NULL WHERE id = $1", [org.id]);
      const person = await org.member({ role: "UNIT_ADMIN" }, { role: "ORG_ADMIN" });
      const uses = await Promise.all(Object.values(USES).map((prepare) => prepare({ org, person })));
      const doEnd = await prepareEnd({ org, person });
      const later = async <T>(ms: number, work: () => Promise<T>) => {
        await Bun.sleep(Math.max(0, ms));
        return work();
      };
      const [status, ...tokens] = await Promise.all([
        later(-lead, doEnd),
        ...uses.map((use) => later(lead, use)),
      ]);
      expect([200, 204]).toContain(status);
      for (const accessToken of tokens.flat()) expect(await statusOf(t, accessToken)).toBe(401);
      const live = "SELECT FROM oauth_grants WHERE user_id = $1 AND ended_at IS NULL";
      expect(await t.sql(live, [idOf(person)])).toEqual([]);
      expectStatus(await org.admin.get("/api/organization"), 200);
    }
  });
