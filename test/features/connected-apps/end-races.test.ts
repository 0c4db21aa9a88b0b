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
import { FEWER_ROUNDS } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

/* What apps do, against what ends their grant, each at its own instance: no token works after both (rules 46.54, AP44). */

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

/** The end begins some milliseconds later or earlier than the use. */
const LEADS = [0, 5, -5];

for (const [use, prepareUse] of Object.entries(USES))
  for (const [end, prepareEnd] of Object.entries(ENDS))
    test(`${use} against ${end}: afterwards no token of the grant works`, async () => {
      for (let round = 0; round < FEWER_ROUNDS * LEADS.length; round += 1) {
        const org = await createOrganization(t);
        const person = await org.member({ role: "UNIT_ADMIN" }, { role: "ORG_ADMIN" });
        const [doUse, doEnd] = [await prepareUse({ org, person }), await prepareEnd({ org, person })];
        const lead = LEADS[round % LEADS.length] ?? 0;
        const later = async <T>(ms: number, work: () => Promise<T>) => {
          await Bun.sleep(Math.max(0, ms));
          return work();
        };
        const [held, status] = await Promise.all([later(lead, doUse), later(-lead, doEnd)]);
        expect([200, 204]).toContain(status);
        for (const accessToken of held) expect(await statusOf(t, accessToken)).toBe(401);
        const live = "SELECT FROM oauth_grants WHERE user_id = $1 AND ended_at IS NULL";
        expect(await t.sql(live, [idOf(person)])).toEqual([]);
        expectStatus(await org.admin.get("/api/organization"), 200);
      }
    });
