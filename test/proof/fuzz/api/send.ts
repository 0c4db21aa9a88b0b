import { fields, formOf, image } from "../../../support/forms.ts";
import { gifWith, jpegWith, pngWith } from "../../../support/images.ts";
import { addressOf } from "../../../support/seeds.ts";
import { unzip } from "../../../support/zip.ts";
import type { Body } from "./bodies.ts";
import { kindsIn, lookUp } from "./lookup.ts";
import { byId } from "./operations.ts";
import type { Plan } from "./requests.ts";
import type { World } from "./world.ts";

/** A response with all its text: the body (the files of an archive), the headers, and the claims of a token. */
export type Answer = {
  status: number;
  body: unknown;
  headers: Headers;
  text: string;
  /** The files of an archive by their names. */
  files: Record<string, unknown>;
};

/** A request as it is sent. */
export type Sent = {
  method: string;
  path: string;
  init: RequestInit;
  line: string;
  /** What the path and the fields of the body name. */
  params: Record<string, string>;
  value: unknown;
  token: string | null;
};

type Payload = { body?: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> };
export type SignEvent = (type: string, customer: string) => { body: string; signature: string };

const FORGED = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDMifQ.";

/**
 * Looks up what a plan refers to, and builds the request.
 * @param isUnknown whether ids that would be another organization's are nobody's instead
 */
export function requestOf(plan: Plan, world: World, sign: SignEvent, isUnknown = false): Sent {
  const operation = byId.get(plan.operation);
  if (operation === undefined) throw new Error(`No operation ${plan.operation}`);
  const name = plan.caller;
  const kinds = plan.attack === null ? [] : kindsIn([plan.params, plan.body]);
  const seeker = { caller: name, foreign: kinds[(plan.attack ?? 0) % kinds.length] ?? null, isUnknown };
  const find = <T>(value: T): T => lookUp(value, world, seeker);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, key) => encoded(find(plan.params[key] ?? "")));
  const query = plan.query.map(([key, value]) => {
    const text = typeof value === "object" ? JSON.stringify(value) : String(find(value));
    return `${encoded(key)}=${encoded(text)}`;
  });
  const { body, headers } = payloadOf(plan.body, find, world, sign);
  const caller = world.callers[name];
  const token =
    plan.credentials === "forged" ? FORGED : plan.credentials === "none" ? null : caller.accessToken;
  const cookie = plan.credentials === "cookie of another" ? world.callers.orgAdmin.cookie : caller.cookie;
  const visit = plan.operation === "finishProviderSignIn" ? world.visits.get(name)?.cookie : undefined;
  const cookies = [cookie && `refresh_token=${cookie}`, visit && `oidc_state=${visit}`].filter(Boolean);
  const all: Record<string, string> = {
    "x-forwarded-for": addressOf(caller.email || world.organizations.own.id),
    ...headers,
    ...Object.fromEntries(Object.entries(plan.headers).map(([key, value]) => [key, asHeader(find(value))])),
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(cookies.length > 0 &&
      path.startsWith("/api/auth") &&
      plan.credentials !== "none" && { cookie: cookies.join("; ") }),
  };
  const whole = path + (query.length === 0 ? "" : `?${query.join("&")}`);
  const shown =
    typeof body === "string" ? body.slice(0, 400) : body === undefined ? "" : `${body.length} bytes`;
  return {
    method: operation.method,
    path: whole,
    init: { method: operation.method, headers: all, redirect: "manual", ...(body !== undefined && { body }) },
    params: find(plan.params),
    value: plan.body.kind === "json" ? find(plan.body.value) : null,
    token,
    line: `${name} (${plan.credentials}): ${operation.method} ${whole} ${JSON.stringify(plan.headers)} ${shown}`,
  };
}

/** Percent-encoded; half a character as an encoder without care writes it, which is no UTF-8. */
const encoded = (text: string) =>
  [...text].map((one) => (one.isWellFormed() ? encodeURIComponent(one) : "%ED%A0%80")).join("");
const asHeader = (text: string) => text.replace(/[^\x20-\x7e]/g, "?");

function payloadOf(body: Body, find: <T>(value: T) => T, world: World, sign: SignEvent): Payload {
  switch (body.kind) {
    case "none":
      return { headers: {} };
    case "json":
      return { body: JSON.stringify(find(body.value)) ?? "", headers: typed(body.type) };
    case "raw":
      return { body: body.text, headers: typed(body.type) };
    case "form": {
      const values = Object.fromEntries(body.fields.map(([key, value]) => [key, String(value)]));
      const parts = [
        ...fields(values),
        ...body.images.map((kind, index) => image(imageOf(kind), `${index}.png`)),
      ];
      const { raw, headers = {} } = formOf(parts);
      return { body: raw as Uint8Array<ArrayBuffer>, headers };
    }
    case "event": {
      // Only the payment provider can sign, so the closed organization's events are left out.
      const { own, other, suspended } = world.organizations;
      const made = sign(body.type, [own, other, suspended][body.customer]?.customer ?? "cus_unknown");
      const signature = body.isSigned ? made.signature : "t=1,v1=00";
      return { body: made.body, headers: { "stripe-signature": signature } };
    }
  }
}

const typed = (type: string): Record<string, string> => (type === "" ? {} : { "content-type": type });

function imageOf(kind: number): Uint8Array {
  const kinds = [() => pngWith(), () => jpegWith(), () => gifWith(), () => new Uint8Array()];
  return (kinds[kind] ?? (() => pngWith().subarray(0, 40)))();
}

/** How often a request is repeated that was refused with 503. */
const MAX_RETRIES = 4;

/**
 * An overloaded machine answers 503, as documented, when a statement misses its deadline; the same request again must not.
 */
export async function sendPatiently(url: string, request: Sent): Promise<Answer> {
  let answer = await send(url, request);
  for (let tries = 1; tries <= MAX_RETRIES && isBusy(answer); tries += 1) {
    await Bun.sleep(tries * 500);
    answer = await send(url, request);
  }
  return answer;
}

const isBusy = ({ status, headers }: Answer) => status === 503 && headers.has("retry-after");

/** Sends a request and reads the answer; of a stream, the beginning. */
async function send(url: string, { path, init }: Sent): Promise<Answer> {
  const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(60_000) });
  const type = response.headers.get("content-type") ?? "";
  const bytes =
    type === "text/event-stream" ? await beginning(response) : new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const body = type.startsWith("application/json") ? parsed(text) : type === "text/event-stream" ? "" : text;
  const archive = type === "application/zip" ? unzip(bytes) : {};
  const inside = type === "application/zip" ? legible(archive) : text;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return {
    status: response.status,
    body,
    headers: response.headers,
    files: Object.fromEntries(Object.entries(archive).map(([name, file]) => [name, parsed(file)])),
    text: `${headers}\n${inside}\n${claims(body)}`,
  };
}

/** The text of an archive without its invitations, which name the organizations that sent them (rules 9.6). */
const legible = (archive: Record<string, string>) =>
  Object.entries(archive)
    .map(([name, text]) => (name === "invitations.json" ? "" : text))
    .join("\n");

/** What is not JSON fits no schema, and is shown as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { notJson: text };
  }
}

async function beginning(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value ?? new Uint8Array();
}

/** What a new access token says, because it is not legible as it is. */
function claims(body: unknown): string {
  const token = (body as { accessToken?: unknown } | null)?.accessToken;
  return typeof token === "string" ? Buffer.from(token.split(".")[1] ?? "", "base64url").toString() : "";
}
