import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookVerificationError } from "../../src/client/webhooks.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, startService } from "../support/service.ts";
import { createEndpoint, deliver, LOCAL, startReceiver } from "../support/webhooks.ts";

const t = await startService(LOCAL);

const BODY = JSON.stringify({ type: "todo.created", data: { object: { title: "Grüße" } } });
const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

/** Returns the headers of a request that the library for Standard Webhooks signs. */
function headersOf(secrets: string[], { body = BODY, seconds = 0 } = {}) {
  const time = new Date(Date.now() + seconds * 1000);
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign("msg_1", time, body)).join(" "),
  };
}

/** Returns the code with which a request is refused. */
const refusal = (request: Parameters<typeof verifyWebhook>[0]) =>
  verifyWebhook(request).then(
    () => null,
    (error) => (error instanceof WebhookVerificationError ? [error.name, error.code] : error),
  );
const refused = (code: string) => ["WebhookVerificationError", code];

test("`verifyWebhook` and the library for Standard Webhooks accept what the service signs", async () => {
  const organization = await createOrganization(t);
  const receiver = startReceiver();
  const { secret, path } = await createEndpoint(organization.admin, receiver.url);
  const rotated = expectStatus(await organization.admin.post(`${path}/rotate-secret`, {}), 200).body;
  const todo = expectStatus(await organization.admin.post("/api/todos", { title: "Grüße" }), 201).body;
  await deliver(t);
  receiver.stop();
  const [{ headers, body } = { headers: new Headers(), body: "" }] = receiver.received;
  expect(headers.get("webhook-signature")?.split(" ")).toHaveLength(2);
  for (const secrets of [[secret], [rotated.secret], [newSecret(), secret]]) {
    const event = await verifyWebhook({ secrets, headers, body });
    if (event.type !== "todo.created") throw new Error(event.type);
    expect(event.data.object).toMatchObject({ id: todo.id, title: "Grüße" });
  }
  expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body));
  expect(await refusal({ secrets: [newSecret()], headers, body })).toEqual(refused("SIGNATURE_INVALID"));
});

test("`verifyWebhook` accepts what the library for Standard Webhooks signs, with any type of headers and body", async () => {
  const secret = newSecret();
  const headers = headersOf([newSecret(), secret]);
  const bytes = new TextEncoder().encode(BODY);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const given of [headers, new Headers(headers), upper, { ...headers, other: undefined }])
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer])
      expect(await verifyWebhook({ secrets: [secret], headers: given, body })).toEqual(JSON.parse(BODY));
});

test("`verifyWebhook` refuses another body, id, timestamp, secret, version or a shortened signature", async () => {
  const secret = newSecret();
  const headers = headersOf([secret]);
  const signature = headers["webhook-signature"];
  const earlier = String(Number(headers["webhook-timestamp"]) - 1);
  for (const [changed, body] of [
    [{}, `${BODY} `],
    [{ "webhook-id": "msg_2" }, BODY],
    [{ "webhook-timestamp": earlier }, BODY],
    [{ "webhook-signature": signature.slice(0, -1) }, BODY],
    [{ "webhook-signature": `${signature}A` }, BODY],
    [{ "webhook-signature": signature.replace("v1,", "v2,") }, BODY],
    [{ "webhook-signature": signature.slice(3) }, BODY],
    [{ "webhook-signature": " " }, BODY],
    [{ "webhook-signature": headersOf([newSecret()])["webhook-signature"] }, BODY],
  ] as const)
    expect(await refusal({ secrets: [secret], headers: { ...headers, ...changed }, body })).toEqual(
      refused("SIGNATURE_INVALID"),
    );
  const broken = headersOf([secret], { body: "{" });
  expect(await refusal({ secrets: [secret], headers: broken, body: "{" })).toEqual(refused("BODY_INVALID"));
});

test("`verifyWebhook` tolerates five minutes in both directions, and refuses timestamps that are no number", async () => {
  const secret = newSecret();
  for (const [seconds, code] of [
    [-290, null],
    [290, null],
    [-310, "TIMESTAMP_OUT_OF_TOLERANCE"],
    [310, "TIMESTAMP_OUT_OF_TOLERANCE"],
  ] as const) {
    const request = { secrets: [secret], headers: headersOf([secret], { seconds }), body: BODY };
    expect(await refusal(request)).toEqual(code && refused(code));
  }
  for (const timestamp of ["soon", "1e9", "-1", "0x1", "NaN", "Infinity"]) {
    const headers = { ...headersOf([secret]), "webhook-timestamp": timestamp };
    expect(await refusal({ secrets: [secret], headers, body: BODY })).toEqual(refused("TIMESTAMP_INVALID"));
  }
});

test("`verifyWebhook` refuses missing headers, and secrets that are empty, short, not base64 or without prefix", async () => {
  const secret = newSecret();
  const headers = headersOf([secret]);
  for (const name of Object.keys(headers))
    for (const value of [undefined, ""]) {
      const request = { secrets: [secret], headers: { ...headers, [name]: value }, body: BODY };
      expect(await refusal(request)).toEqual(refused("HEADER_MISSING"));
    }
  const short = `whsec_${Buffer.alloc(23).toString("base64")}`;
  for (const secrets of [[], [""], ["whsec_"], [short], ["whsec_!"], [secret.slice(6)], [secret, ""]])
    expect(await refusal({ secrets, headers, body: BODY })).toEqual(refused("SECRET_INVALID"));
});
