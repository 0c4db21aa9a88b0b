import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { ALL_EVENTS, EVENTS, storeEvent } from "../../support/audit.ts";
import { seal, tamper } from "../../support/audit-chains.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({ BILLING_PLANS_FILE: planFiles()(PLANS) });
const PROOF = `${EVENTS}/proof`;
const ALL_PROOF = `${ALL_EVENTS}/proof`;
const admin = await t.platformAdmin();

async function withAudit() {
  const organization = await createOrganization(t);
  await setPlanOverride(admin, organization, "gift");
  return organization;
}

const proof = async (caller: Caller, path = PROOF) => expectStatus(await caller.get(path), 200).body;

/** Serializes JSON according to RFC 8785, independently of the service; sufficient for the values in these tests. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const digestOf = (value: unknown) => sha256(canonical(value));

test("the proof of an audit log contains its last sealed batch with digest, and the number and age of unsealed events", async () => {
  const { admin: caller, id } = await withAudit();
  const before = await proof(caller);
  expect(before).toMatchObject({
    organizationId: id,
    batch: 0,
    sealed: 0,
    digest: null,
    sealedAt: null,
    event: null,
  });
  expect(before.unsealed).toBeGreaterThan(0);
  await seal(t);
  const after = await proof(caller);
  expect(after).toMatchObject({ batch: 1, sealed: before.unsealed, unsealed: 0, oldestUnsealedAt: null });
  expect(after.digest).toMatch(/^[0-9a-f]{64}$/);
  const time = new Date().toISOString();
  await storeEvent(t, { organizationId: id, time });
  expect(await proof(caller)).toEqual({ ...after, unsealed: 1, oldestUnsealedAt: time });
  await seal(t);
  const next = await proof(caller);
  expect(next).toMatchObject({ batch: 2, sealed: before.unsealed + 1 });
  expect(next.digest).not.toBe(after.digest);
});

test("the digest of an event in its proof can be computed from the event without the service", async () => {
  const { admin: caller, id } = await withAudit();
  const metadata = { z: [1, { b: null, a: "Ωmega" }], email: "Ada@example.com", Å: true };
  const event = await storeEvent(t, { organizationId: id, metadata });
  const path = `${PROOF}?eventId=${event}`;
  const waiting = (await proof(caller, path)).event;
  expect(waiting).toMatchObject({ id: event, position: null, batch: null });
  await seal(t);
  const { event: shown, digest: head, sealed } = await proof(caller, path);
  const email = `email-sha256:${sha256("retired email: Ada@example.com")}`;
  expect(shown.record).toMatchObject({ id: event, organizationId: id, metadata: { ...metadata, email } });
  expect(digestOf(shown.record)).toBe(shown.digest);
  expect(shown.digest).toBe(waiting.digest);
  const { digest, ...batch } = shown.batch;
  expect(digestOf(batch)).toBe(digest);
  expect(digest).toBe(head);
  expect(batch.events[shown.position - 1]).toEqual({
    id: event,
    time: shown.record.time,
    digest: shown.digest,
  });
  expect(shown.position).toBe(sealed);

  await tamper(t, `UPDATE audit_events SET ip = '203.0.113.9' WHERE id = '${event}'`);
  const { event: changed } = await proof(caller, path);
  expect(changed.batch).toEqual(shown.batch);
  expect(changed.digest).not.toBe(shown.digest);
});

test("each sealed batch contains the digest of the previous one", async () => {
  const { admin: caller, id } = await withAudit();
  await seal(t);
  const { digest } = await proof(caller);
  const event = await storeEvent(t, { organizationId: id });
  await seal(t);
  const { event: shown } = await proof(caller, `${PROOF}?eventId=${event}`);
  expect(shown.batch).toMatchObject({ number: 2, previousDigest: digest });
});

test("the proof of an organization's audit log needs organization-wide `Audit.Read`", async () => {
  const org = await withAudit();
  const unit = await org.unit("One");
  const auditor = await org.role("Auditor", "Audit.Read");
  for (const [member, expected] of [
    [await org.member({ role: auditor }), "200"],
    [await org.member({ role: auditor, unit }), "403 FORBIDDEN"],
    [await org.member(), "403 FORBIDDEN"],
  ] as const) {
    expect(outcome(await member.get(PROOF))).toBe(expected);
    expect(outcome(await member.get(ALL_PROOF))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  }
  expect(outcome(await admin.get(PROOF))).toBe("400 ORGANIZATION_REQUIRED");
  expect(outcome(await admin.get(PROOF, actingIn(org)))).toBe("200");
  const without = await createOrganization(t);
  await storeSubscription(t, without, { trial_ends_at: null });
  expect(outcome(await without.admin.get(PROOF))).toBe("403 PLAN_FEATURE_REQUIRED");
});

test("an organization has no proof for events of another organization or of the platform", async () => {
  const [one, other] = [await withAudit(), await withAudit()];
  const theirs = await storeEvent(t, { organizationId: other.id });
  const platform = await storeEvent(t, {});
  await seal(t);
  for (const event of [theirs, platform, crypto.randomUUID()])
    expect(outcome(await one.admin.get(`${PROOF}?eventId=${event}`))).toBe("404 NOT_FOUND");
  expect(outcome(await admin.get(`${ALL_PROOF}?eventId=${theirs}`))).toBe("404 NOT_FOUND");
  const { organizationId, event } = await proof(admin, `${ALL_PROOF}?eventId=${platform}`);
  expect({ organizationId, id: event.id, of: event.batch.organizationId }).toEqual({
    organizationId: null,
    id: platform,
    of: null,
  });
  expect(outcome(await one.admin.get(`${PROOF}?eventId=one`))).toBe("400 VALIDATION_FAILED");
});
