import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { ApiResponse } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, outcome } from "../../support/outcomes.ts";
import { deliver, startServiceWithPayments, WEBHOOK } from "../../support/payments.ts";
import { PAYMENT } from "../../support/plans.ts";
import { expectStatus } from "../../support/service.ts";

const selling = await startServiceWithPayments();
const { t, payments } = selling;

const MAX_BYTES = 1024 * 1024;
const now = () => Math.floor(Date.now() / 1000);

/** Computes the `v1` signature like the provider. */
function digest(body: string | Uint8Array, at: number, secret: string = PAYMENT.PAYMENT_WEBHOOK_SECRET) {
  return createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex");
}
const signed = (body: string | Uint8Array, at = now()) => `t=${at},v1=${digest(body, at)}`;

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;
const send = (
  raw: Body,
  signature: string | null,
  headers: Record<string, string> = {},
): Promise<ApiResponse> =>
  t.anonymous().post(WEBHOOK, undefined, {
    raw,
    headers: { ...(signature !== null && { "stripe-signature": signature }), ...headers },
  });

/** Starts a subscription whose event was not sent yet; `isKnown` returns whether the service has stored it. */
async function untold() {
  const org = await createOrganization(t);
  const subscription = payments.subscribe(await selling.customer(org), "price_pro_month");
  const { body } = payments.event("customer.subscription.created", subscription);
  const isKnown = async () =>
    (await org.admin.get("/api/organization/billing")).body.plan.source === "subscription";
  return { org, subscription, body, isKnown };
}

const REFUSED = "400 INVALID_SIGNATURE";

test("a payment webhook without a valid signature is refused, and nothing is written", async () => {
  const { body, isKnown } = await untold();
  const before = await selling.stored();
  const at = now();
  const good = digest(body, at);
  const forged = {
    missing: null,
    empty: "",
    "no signature": "nonsense",
    "no time": `v1=${good}`,
    "no digest": `t=${at}`,
    "empty digest": `t=${at},v1=`,
    "another secret": `t=${at},v1=${digest(body, at, "whsec_of_nobody")}`,
    "another time": `t=${at - 1},v1=${good}`,
    "the body alone": `t=${at},v1=${createHmac("sha256", PAYMENT.PAYMENT_WEBHOOK_SECRET).update(body).digest("hex")}`,
    "another scheme": `t=${at},v0=${good}`,
    shortened: `t=${at},v1=${good.slice(0, -1)}`,
    lengthened: `t=${at},v1=${good}0`,
    "no number": `t=soon,v1=${good}`,
  };
  for (const [how, signature] of Object.entries(forged))
    expect([how, outcome(await send(body, signature))]).toEqual([how, REFUSED]);
  expect(await selling.stored()).toEqual(before);
  expect(await isKnown()).toBe(false);
});

test("a payment webhook whose body differs from the signed one is refused", async () => {
  const { body, isKnown } = await untold();
  const signature = signed(body);
  const changed: Record<string, Body> = {
    truncated: body.slice(0, -1),
    empty: "",
    "longer by a line": `${body}\n`,
    "written otherwise": JSON.stringify(JSON.parse(body), null, 1),
    "another type": body.replace("created", "deleted"),
  };
  for (const [how, raw] of Object.entries(changed))
    expect([how, outcome(await send(raw, signature))]).toEqual([how, REFUSED]);
  expect(await isKnown()).toBe(false);
  expectStatus(await send(body, signature), 200);
  expect(await isKnown()).toBe(true);
});

test("the webhook signature covers the bytes of the body, not the decoded text", async () => {
  const { body, isKnown } = await untold();
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  // A byte order mark, which decoders drop, and invalid UTF-8, which decodes to the same replacement character.
  expect(outcome(await send(bytes(`\ufeff${body}`), signed(body)))).toBe(REFUSED);
  const broken = body.replace('"evt_', '"evt_\ufffd');
  const swapped = Buffer.from(broken).toString("latin1").replace("\u00ef\u00bf\u00bd", "\u00ff");
  expect(outcome(await send(new Uint8Array(Buffer.from(swapped, "latin1")), signed(broken)))).toBe(REFUSED);
  expect(await isKnown()).toBe(false);
});

test("a webhook signature is valid for five minutes before and after its timestamp", async () => {
  const { body } = await untold();
  for (const [seconds, expected] of [
    [-290, "200"],
    [290, "200"],
    [-310, REFUSED],
    [310, REFUSED],
    [-86_400, REFUSED],
    [86_400, REFUSED],
  ] as const)
    expect([seconds, outcome(await send(body, signed(body, now() + seconds)))]).toEqual([seconds, expected]);
});

test("a webhook signature with several timestamps is refused if one of them is too early or too late", async () => {
  const { body } = await untold();
  for (const seconds of [-310, 310]) {
    const at = now() + seconds;
    const v1 = digest(body, at);
    for (const signature of [`t=${now()},t=${at},v1=${v1}`, `t=${at},t=${now()},v1=${v1}`])
      expect([seconds, outcome(await send(body, signature))]).toEqual([seconds, REFUSED]);
  }
});

test("one correct digest in a webhook signature is enough, at any position and next to other schemes", async () => {
  const { body } = await untold();
  const at = now();
  const [right, wrong] = [`v1=${digest(body, at)}`, `v1=${digest(body, at, "whsec_before")}`];
  for (const parts of [
    [right, wrong],
    [wrong, right],
    [wrong, wrong, right, "v0=00"],
    ["v2=x", right],
  ])
    expect([parts.length, outcome(await send(body, [`t=${at}`, ...parts].join()))]).toEqual([
      parts.length,
      "200",
    ]);
  expect(outcome(await send(body, `${wrong},${right},t=${at}`))).toBe("200");
  expect(outcome(await send(body, `t=${at},${wrong},${wrong}`))).toBe(REFUSED);
});

test("a signed webhook is accepted with any content type, unknown properties and any access token", async () => {
  const org = await createOrganization(t);
  const customer = await selling.customer(org);
  for (const type of [
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "image/png",
    "",
  ]) {
    const event = payments.event("customer.subscription.updated", { customer });
    const object = { ...JSON.parse(event.body), livemode: false, unknown: { deep: ["properties"] } };
    const body = JSON.stringify(object, null, 2);
    const headers = { ...(type !== "" && { "content-type": type }), ...actingIn(org).headers };
    const response = await send(body, signed(body), { ...headers, authorization: "Bearer nonsense" });
    expect([type, response.status, response.body]).toEqual([type, 200, { received: true }]);
  }
});

test("signed events that the service does not use are accepted, and nothing is written", async () => {
  const org = await createOrganization(t);
  const customer = await selling.customer(org);
  const before = await selling.stored();
  const event = { id: "evt_1", object: "event", created: now() };
  const bodies = [
    { ...event, type: "invoice.paid", data: { object: { customer } } },
    { ...event, type: "customer.subscription.trial_will_end", data: { object: { customer } } },
    { ...event, type: "customer.deleted", data: { object: { id: customer } } },
    { ...event, type: "customer.subscription.updated", data: { object: { customer: "cus_of_nobody" } } },
    { ...event, type: "customer.subscription.updated", data: { object: { customer: { id: "cus_x" } } } },
    { ...event, type: "checkout.session.completed", data: { object: { customer: null } } },
    { ...event, type: "checkout.session.completed", data: { object: {} } },
    { ...event, type: "balance.available", data: { object: {} } },
  ].map((body) => JSON.stringify(body));
  for (const body of bodies) {
    const response = await send(body, signed(body));
    expect([body, response.status, response.body]).toEqual([body, 200, { received: true }]);
  }
  expect(await selling.stored()).toEqual(before);
});

test("a signed event of an unknown type is accepted with any content", async () => {
  const event = { id: "evt_1", object: "event", created: now() };
  for (const body of [
    { ...event, type: "ping", data: {} },
    { ...event, type: "ping" },
    { ...event, object: "v2.core.event", type: "v2.core.event_destination.ping" },
  ].map((body) => JSON.stringify(body)))
    expect([body, outcome(await send(body, signed(body)))]).toEqual([body, "200"]);
});

test("a signed webhook body that is not JSON is refused as malformed", async () => {
  for (const body of ["", "{", "not json", '{"id":"evt_1"'])
    expect([body, outcome(await send(body, signed(body)))]).toEqual([body, "400 MALFORMED_JSON"]);
});

test("a webhook body of 1 MB is accepted, one byte more is 413; without a signature the declared length decides", async () => {
  const { body, isKnown } = await untold();
  const inChunks = (text: string) => new Blob([text]).stream();
  const [whole, more] = [body.padEnd(MAX_BYTES), body.padEnd(MAX_BYTES + 1)];
  expect(outcome(await send(more, signed(more)))).toBe("413 PAYLOAD_TOO_LARGE");
  expect(outcome(await send(inChunks(more), signed(more)))).toBe("413 PAYLOAD_TOO_LARGE");
  expect(outcome(await send(more, null))).toBe("413 PAYLOAD_TOO_LARGE");
  expect(await isKnown()).toBe(false);
  expect(outcome(await send(whole, null))).toBe(REFUSED);
  expect(outcome(await send(whole, signed(whole)))).toBe("200");
  expect(await isKnown()).toBe(true);
});

test("a chunked webhook body is accepted, however it is split", async () => {
  const { subscription, isKnown } = await untold();
  const { body } = payments.event("customer.subscription.created", {
    ...subscription,
    ...{ name: "Γιώργος 🙂" },
  });
  const bytes = Buffer.from(body);
  const stream = new ReadableStream({
    start(controller) {
      for (let index = 0; index < bytes.length; index += 7)
        controller.enqueue(bytes.subarray(index, index + 7));
      controller.close();
    },
  });
  expectStatus(await send(stream, signed(bytes)), 200);
  expect(await isKnown()).toBe(true);
});

test("a repeated payment webhook is accepted and takes effect once", async () => {
  const { org, subscription, body, isKnown } = await untold();
  const event = { body, signature: signed(body) };
  expectStatus(await deliver(t.anonymous(), event), 200);
  expect(await isKnown()).toBe(true);
  const before = await selling.stored();
  // The provider signs each repetition with a new timestamp.
  for (const signature of [event.signature, signed(body, now() - 60), signed(body)])
    expect((await deliver(t.anonymous(), { body, signature })).body).toEqual({ received: true });
  expect(await selling.stored()).toEqual(before);
  expect(await selling.customerOf(org)).toBe(subscription.customer);
});
