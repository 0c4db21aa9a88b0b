import { afterEach, expect, test } from "bun:test";
import { OWN_TICKETS, PLATFORM_TICKETS, report, reportBody, withImages } from "../../support/helpdesk.ts";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { pngWith } from "../../support/images.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { barrier, CHECKOUT, PORTAL, PRO, startServiceWithPayments } from "../../support/payments.ts";
import { expectStatus } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

/* Requests that are not a single transaction claim their idempotency key: forms with images, checkout and portal. */
const storage = await ownStorage();
const { t, proxy, payments } = await startServiceWithPayments(storage.environment);
afterEach(() => {
  proxy.guard = null;
  payments.failNext(0);
});

const IN_USE = "409 IDEMPOTENCY_KEY_IN_USE";
const SESSIONS = "POST checkout/sessions";

/** Delays the next call of the payment provider with this name until the returned barrier is opened. */
function holdNext(name: string) {
  const gate = barrier();
  let isHeld = false;
  proxy.guard = async (call) => {
    if (call.name !== name || isHeld) return null;
    isHeld = true;
    await gate.pass();
    return null;
  };
  return gate;
}
const calls = (name: string) => proxy.calls.filter((call) => call.name === name);
const texts = { subject: "With images", category: "BUG", message: "Look" };

test("a repeated checkout returns the same URL, and the payment provider is called once", async () => {
  const { admin } = await createOrganization(t);
  const key = newKey();
  const first = expectStatus(await admin.post(CHECKOUT, PRO, keyed(key)), 200);
  const before = proxy.calls.length;
  const second = expectStatus(await admin.post(CHECKOUT, PRO, keyed(key)), 200);
  expect([isReplay(second), second.body, proxy.calls.length]).toEqual([true, first.body, before]);
  expect(outcome(await admin.post(PORTAL, undefined, keyed(key)))).toBe("422 IDEMPOTENCY_KEY_REUSED");
});

test("the address of a checkout is stored encrypted", async () => {
  const { admin } = await createOrganization(t);
  const { url } = expectStatus(await admin.post(CHECKOUT, PRO, keyed(newKey())), 200).body;
  const [stored] = await t.sql<{ body: string }>(
    "SELECT body FROM idempotency_keys WHERE caller_id = $1 AND status = 200",
    [idOf(admin)],
  );
  expect(stored?.body).not.toContain(new URL(url).host);
});

test("while the payment provider is being called, the idempotency key is in use, also for another body", async () => {
  const { admin } = await createOrganization(t);
  const key = newKey();
  const gate = holdNext(SESSIONS);
  const first = admin.post(CHECKOUT, PRO, keyed(key));
  await gate.reached();
  expect(outcome(await admin.post(CHECKOUT, PRO, keyed(key)))).toBe(IN_USE);
  expect(outcome(await admin.post(CHECKOUT, { ...PRO, interval: "year" }, keyed(key)))).toBe(IN_USE);
  gate.open();
  expectStatus(await first, 200);
  expect(isReplay(expectStatus(await admin.post(CHECKOUT, PRO, keyed(key)), 200))).toBe(true);
});

test("after an error of the payment provider the idempotency key is free at once, and the next attempt sends the provider a new key", async () => {
  const { admin } = await createOrganization(t);
  const key = newKey();
  expectStatus(await admin.post(CHECKOUT, PRO), 200);
  // The provider repeats this error for its idempotency key, so the next attempt must send another one.
  payments.failNext(1);
  expect(outcome(await admin.post(CHECKOUT, PRO, keyed(key)))).toBe("502 PROVIDER_ERROR");
  expect(isReplay(expectStatus(await admin.post(CHECKOUT, PRO, keyed(key)), 200))).toBe(false);
});

test("kill -9 frees an idempotency key within a minute, and the retry sends the payment provider the same key as before", async () => {
  const [doomed] = await t.cluster(1, { PAYMENT_API_URL: proxy.url });
  const { admin } = await createOrganization(t);
  const key = newKey();
  const gate = holdNext(SESSIONS);
  const first = admin
    .at(doomed?.url ?? "")
    .post(CHECKOUT, PRO, keyed(key))
    .catch(() => null);
  await gate.reached();
  await doomed?.kill();
  gate.open();
  expect(await first).toBeNull();
  expect(outcome(await admin.post(CHECKOUT, PRO, keyed(key)))).toBe(IN_USE);
  const [claim] = await t.sql<{ seconds: number }>(
    `SELECT extract(epoch FROM claimed_until - clock_timestamp())::float AS seconds
     FROM idempotency_keys WHERE status IS NULL`,
  );
  expect(claim?.seconds).toBeGreaterThan(0);
  expect(claim?.seconds).toBeLessThanOrEqual(60);
  await t.age("idempotency_keys", {}, { seconds: 60 });
  const next = expectStatus(await admin.post(CHECKOUT, PRO, keyed(key)), 200);
  expect(isReplay(next)).toBe(false);
  const [one, other] = calls(SESSIONS).slice(-2);
  expect(other?.idempotencyKey).toBe(one?.idempotencyKey as string);
});

test("a request that lost the claim of its idempotency key returns 409 instead of taking effect a second time", async () => {
  const who = await t.person();
  const key = newKey();
  const gate = holdStorage();
  const first = who.post(OWN_TICKETS, undefined, keyed(key, withImages(texts, [pngWith()])));
  await gate.reached();
  await t.age("idempotency_keys", {}, { seconds: 61 });
  gate.openForOthers();
  const second = await who.post(OWN_TICKETS, undefined, keyed(key, withImages(texts, [pngWith()])));
  gate.open();
  expect([outcome(second), outcome(await first)]).toEqual(["201", IN_USE]);
  expect((await who.get(OWN_TICKETS)).body.total).toBe(1);
  expect(isReplay(await who.post(OWN_TICKETS, undefined, keyed(key, withImages(texts, [pngWith()]))))).toBe(
    true,
  );
});

test("a repeated form with images is a replay only if all fields and images are the same", async () => {
  const who = await t.person();
  const key = newKey();
  const send = (fields: Record<string, string>, images: Uint8Array[]) =>
    who.post(OWN_TICKETS, undefined, keyed(key, withImages(fields, images)));
  const first = expectStatus(await send(texts, [pngWith()]), 201);
  const objects = await storage.keys();
  const second = expectStatus(await send(texts, [pngWith()]), 201);
  expect([isReplay(second), second.body]).toEqual([true, first.body]);
  const { subject, ...rest } = texts;
  expect(isReplay(expectStatus(await send({ ...rest, subject }, [pngWith()]), 201))).toBe(true);
  const other = "422 IDEMPOTENCY_KEY_REUSED";
  expect(outcome(await send({ ...texts, message: "Other" }, [pngWith()]))).toBe(other);
  expect(outcome(await send(texts, [pngWith(), pngWith()]))).toBe(other);
  expect(outcome(await send(texts, []))).toBe(other);
  expect([await storage.keys(), (await who.get(OWN_TICKETS)).body.total]).toEqual([objects, 1]);
});

test("a form sent twice concurrently with one idempotency key is stored once", async () => {
  const who = await t.person();
  const ticket = await report(who);
  const path = `${OWN_TICKETS}/${ticket.id}/messages`;
  const key = newKey();
  const gate = holdStorage();
  const first = who.post(path, undefined, keyed(key, withImages({ message: "once" }, [pngWith()])));
  await gate.reached();
  expect(
    outcome(await who.post(path, undefined, keyed(key, withImages({ message: "once" }, [pngWith()])))),
  ).toBe(IN_USE);
  gate.open();
  expectStatus(await first, 201);
  expect((await who.get(`${OWN_TICKETS}/${ticket.id}`)).body.messageCount).toBe(2);
});

test("after a storage failure the form can be sent again with its idempotency key, and replays count towards no limit", async () => {
  const who = await t.person();
  const key = newKey();
  const { storage: stored } = t.running.app;
  const put = stored.put;
  stored.put = () => Promise.reject(new Error("The disk is full"));
  const send = () => who.post(OWN_TICKETS, undefined, keyed(key, withImages(texts, [pngWith()])));
  expect(outcome(await send())).toBe("500 INTERNAL_ERROR");
  stored.put = put;
  expect(isReplay(expectStatus(await send(), 201))).toBe(false);
  // Five tickets an hour are allowed; four are left.
  for (let sent = 0; sent < 6; sent += 1) expect(isReplay(expectStatus(await send(), 201))).toBe(true);
  for (let sent = 0; sent < 4; sent += 1) await report(who);
  expect(outcome(await who.post(OWN_TICKETS, reportBody()))).toBe("429 TOO_MANY_REQUESTS");
  expect(isReplay(expectStatus(await send(), 201))).toBe(true);
});

test("a message without images is idempotent in one transaction, for staff and for reporters", async () => {
  const who = await t.person();
  const operator = await t.platformAdmin();
  const { id } = await report(who);
  for (const [writer, place] of [
    [who, OWN_TICKETS],
    [operator, PLATFORM_TICKETS],
  ] as const) {
    const key = newKey();
    const send = () => writer.post(`${place}/${id}/messages`, { message: "Hello" }, keyed(key));
    const [first, second] = [expectStatus(await send(), 201), expectStatus(await send(), 201)];
    expect([isReplay(first), isReplay(second), second.body]).toEqual([false, true, first.body]);
  }
});

/** Delays the next upload until `open` is called; after `openForOthers`, later uploads are not delayed. */
function holdStorage() {
  const { storage: stored } = t.running.app;
  const put = stored.put;
  const gate = barrier();
  stored.put = async (...given) => {
    await gate.pass();
    await put.apply(stored, given);
  };
  return {
    reached: () => gate.reached(),
    openForOthers() {
      stored.put = put;
    },
    open() {
      stored.put = put;
      gate.open();
    },
  };
}
