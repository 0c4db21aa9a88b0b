import { expect, test } from "bun:test";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import { connectApp, useApp } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Limits of connected apps (rules 46.20). Grants are inserted. */

const t = await startService({ OAUTH_APPS: "any", TRUST_PROXY: "1" });
const org = await createOrganization(t);

test("the 301st request of a grant in a minute is 429; other apps and the person go on", async () => {
  const [{ app }, other] = [await connectApp(t, org), await connectApp(t, org)];
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
  expectStatus(await other.app.get("/api/permissions"), 200);
  expectStatus(await org.admin.get("/api/permissions"), 200);
});

test("an address may send 60 unknown tokens a minute; those of ended grants never count", async () => {
  const { grantId, app: dead } = await connectApp(t, org);
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [grantId]);
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
