import { expect, test } from "bun:test";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import { insertGrant, useApp } from "../../support/apps.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Limits and logs of connected apps (rules 46.20, 46.76). Grants are inserted. */

const t = await startService({ OAUTH_APPS: "any", TRUST_PROXY: "1" });
const org = await createOrganization(t);
const insert = () => insertGrant(t, { userId: idOf(org.admin), organizationId: org.id });

test("the 301st request of a grant in a minute is 429; other apps and the person go on", async () => {
  const [one, other] = [await insert(), await insert()];
  const app = useApp(t, one.accessToken);
  for (let count = 1; count <= 300; count += 1) {
    const { headers } = expectStatus(await app.get("/api/permissions"), 200);
    if (count > 1) continue;
    expect(headers.get("ratelimit-policy")).toBe('"grant";q=300;w=60, "organization";q=3000;w=60');
    expect(headers.get("ratelimit")).toStartWith('"grant";r=299;t=');
  }
  const refused = await app.get("/api/permissions");
  expect(outcome(refused)).toBe("429 TOO_MANY_REQUESTS");
  expect(refused.headers.get("ratelimit")).toStartWith('"grant";r=0;t=');
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
  expectStatus(await useApp(t, other.accessToken).get("/api/permissions"), 200);
  expectStatus(await org.admin.get("/api/permissions"), 200);
});

test("an address may send 60 unknown tokens a minute; those of ended grants never count", async () => {
  const { grantId, accessToken } = await insert();
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [grantId]);
  const dead = useApp(t, accessToken);
  dead.address = "203.0.113.7";
  for (let count = 0; count < 70; count += 1)
    expect(outcome(await dead.get("/api/units"))).toBe("401 UNAUTHENTICATED");
  const unknown = () => {
    const caller = useApp(t, appSecret("a"));
    caller.address = dead.address;
    return caller.get("/api/units");
  };
  for (let count = 0; count < 60; count += 1) expect(outcome(await unknown())).toBe("401 UNAUTHENTICATED");
  expect(outcome(await unknown())).toBe("429 TOO_MANY_REQUESTS");
  expect(outcome(await dead.get("/api/units"))).toBe("401 UNAUTHENTICATED");
});

test("the log line of an app's request has its grant and person, and no line has its token (rules 46.76)", async () => {
  const [instance] = await t.cluster(1);
  if (instance === undefined) throw new Error("No instance");
  const { grantId, accessToken } = await insert();
  const app = useApp(t, accessToken).at(instance.url);
  const logged = async (path: string) => {
    const requestId = crypto.randomUUID();
    await app.get(path, { headers: { "x-request-id": requestId } });
    const find = () => instance.log().find((line) => line.includes(requestId)) ?? null;
    return JSON.parse(await until(find));
  };
  expect(await logged("/api/units")).toMatchObject({ grantId, userId: idOf(org.admin), status: 200 });
  expect(await logged("/api/profile")).toMatchObject({ grantId, code: "APP_NOT_ALLOWED", status: 403 });
  await logged(`/api/units?access_token=${accessToken}`);
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [grantId]);
  expect(await logged("/api/units")).toMatchObject({ status: 401 });
  expect(instance.log().join("\n")).not.toContain(accessToken.slice(5));
});
