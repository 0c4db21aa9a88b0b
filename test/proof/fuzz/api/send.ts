import { fields, formOf, image } from "../../../support/forms.ts";
import { gifWith, jpegWith, pngWith } from "../../../support/images.ts";
import { addressOf } from "../../../support/seeds.ts";
import { unzip } from "../../../support/zip.ts";
import type { Body } from "./bodies.ts";
import { tokenIn } from "./connections.ts";
import type { Fixture } from "./fixture.ts";
import { byId } from "./operations.ts";
import { kindsIn, resolveReferences } from "./references.ts";
import type { RequestPlan } from "./requests.ts";

/**
 * A response with all its text: the headers, the body (for an archive, its files), and the claims of a new access
 * token.
 */
export type ApiResponse = {
  status: number;
  body: unknown;
  headers: Headers;
  text: string;
  /** The files of an archive by their names. */
  files: Record<string, unknown>;
};

/** A request that is ready to be sent. */
export type BuiltRequest = {
  method: string;
  path: string;
  init: RequestInit;
  line: string;
  /** The parameters of the path, and the JSON body, with resolved references. */
  params: Record<string, string>;
  value: unknown;
  token: string | null;
};

/** The cookies of sign-ins that have begun, by the operation that completes one. */
const STATE_COOKIES: Record<string, string> = {
  ...{ finishProviderSignIn: "oidc_state", finishConnectionSignIn: "sso_state" },
};

type Payload = { body?: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> };
export type SignEvent = (type: string, customer: string) => { body: string; signature: string };

const FORGED = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDMifQ.";

/**
 * Builds the request of a plan, with all references resolved.
 * @param isUnknown whether ids of another organization are replaced by an id that does not exist
 */
export function buildRequest(
  plan: RequestPlan,
  fixture: Fixture,
  sign: SignEvent,
  isUnknown = false,
): BuiltRequest {
  const operation = byId.get(plan.operation);
  if (operation === undefined) throw new Error(`No operation ${plan.operation}`);
  const name = plan.caller;
  const kinds = plan.attack === null ? [] : kindsIn([plan.params, plan.body]);
  const context = { caller: name, foreign: kinds[(plan.attack ?? 0) % kinds.length] ?? null, isUnknown };
  const resolve = <T>(value: T): T => resolveReferences(value, fixture, context);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, key) => encoded(resolve(plan.params[key] ?? "")));
  const query = plan.query.map(([key, value]) => {
    const text = typeof value === "object" ? JSON.stringify(value) : String(resolve(value));
    return `${encoded(key)}=${encoded(text)}`;
  });
  const { body, headers } = payloadOf(plan.body, resolve, fixture, sign);
  const caller = fixture.callers[name];
  const token =
    plan.credentials === "forged" ? FORGED : plan.credentials === "none" ? null : caller.accessToken;
  const cookie = plan.credentials === "cookie of another" ? fixture.callers.orgAdmin.cookie : caller.cookie;
  const stateCookie = STATE_COOKIES[plan.operation];
  const visit = stateCookie && fixture.providerVisits.get(name)?.cookie;
  const cookies = [cookie && `refresh_token=${cookie}`, visit && `${stateCookie}=${visit}`].filter(Boolean);
  const all: Record<string, string> = {
    "x-forwarded-for": addressOf(caller.email || fixture.organizations.own.id),
    ...headers,
    ...Object.fromEntries(
      Object.entries(plan.headers).map(([key, value]) => [key, asHeader(resolve(value))]),
    ),
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(cookies.length > 0 &&
      path.startsWith("/api/auth") &&
      plan.credentials !== "none" && { cookie: cookies.join("; ") }),
  };
  const url = path + (query.length === 0 ? "" : `?${query.join("&")}`);
  const bodyText =
    typeof body === "string" ? body.slice(0, 400) : body === undefined ? "" : `${body.length} bytes`;
  return {
    method: operation.method,
    path: url,
    init: { method: operation.method, headers: all, redirect: "manual", ...(body !== undefined && { body }) },
    params: resolve(plan.params),
    value: plan.body.kind === "json" ? resolve(plan.body.value) : null,
    token,
    line: `${name} (${plan.credentials}): ${operation.method} ${url} ${JSON.stringify(plan.headers)} ${bodyText}`,
  };
}

/** Percent-encodes a text. A lone surrogate is encoded to invalid UTF-8, as by a naive encoder. */
const encoded = (text: string) =>
  [...text].map((char) => (char.isWellFormed() ? encodeURIComponent(char) : "%ED%A0%80")).join("");
const asHeader = (text: string) => text.replace(/[^\x20-\x7e]/g, "?");

function payloadOf(body: Body, resolve: <T>(value: T) => T, fixture: Fixture, sign: SignEvent): Payload {
  switch (body.kind) {
    case "none":
      return { headers: {} };
    case "json":
      return { body: JSON.stringify(resolve(body.value)) ?? "", headers: typed(body.type) };
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
    case "fields": {
      const sent = body.fields.map(([key, value]) => `${encoded(key)}=${encoded(String(resolve(value)))}`);
      return { body: sent.join("&"), headers: typed("application/x-www-form-urlencoded") };
    }
    case "event": {
      // Webhook events of the organization `closed` are not sent: only the payment provider could sign them.
      const { own, other, suspended } = fixture.organizations;
      const event = sign(body.type, [own, other, suspended][body.customer]?.customer ?? "cus_unknown");
      const signature = body.isSigned ? event.signature : "t=1,v1=00";
      return { body: event.body, headers: { "stripe-signature": signature } };
    }
  }
}

const typed = (type: string): Record<string, string> => (type === "" ? {} : { "content-type": type });

function imageOf(kind: number): Uint8Array {
  const kinds = [() => pngWith(), () => jpegWith(), () => gifWith(), () => new Uint8Array()];
  return (kinds[kind] ?? (() => pngWith().subarray(0, 40)))();
}

/** The number of repetitions of a request that was rejected with 503. */
const MAX_RETRIES = 4;

/**
 * Sends a request. Repeats it after 503 with `Retry-After`, which an overloaded machine returns if a statement
 * exceeds its deadline.
 */
export async function sendWithRetries(url: string, request: BuiltRequest): Promise<ApiResponse> {
  let response = await send(url, request);
  for (let tries = 1; tries <= MAX_RETRIES && isUnavailable(response); tries += 1) {
    await Bun.sleep(tries * 500);
    response = await send(url, request);
  }
  return response;
}

const isUnavailable = ({ status, headers }: ApiResponse) => status === 503 && headers.has("retry-after");

/** Sends a request and reads the response. For a stream, reads only the first chunk. */
async function send(url: string, { path, init }: BuiltRequest): Promise<ApiResponse> {
  const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(60_000) });
  const type = response.headers.get("content-type") ?? "";
  const bytes =
    type === "text/event-stream"
      ? await readFirstChunk(response)
      : new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const body = type.startsWith("application/json") ? parsed(text) : type === "text/event-stream" ? "" : text;
  const archive = type === "application/zip" ? unzip(bytes) : {};
  const content = type === "application/zip" ? textOfArchive(archive) : text;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return {
    status: response.status,
    body,
    headers: response.headers,
    files: Object.fromEntries(Object.entries(archive).map(([name, file]) => [name, parsed(file)])),
    text: `${headers}\n${content}\n${claimsIn(body, response.headers)}`,
  };
}

/** Returns the text of an archive without its invitations, which name the organizations that sent them (rules 9.6). */
const textOfArchive = (archive: Record<string, string>) =>
  Object.entries(archive)
    .map(([name, text]) => (name === "invitations.json" ? "" : text))
    .join("\n");

/** Parses JSON. Other texts are returned in an object that matches no schema of the document. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { notJson: text };
  }
}

async function readFirstChunk(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value ?? new Uint8Array();
}

/** Returns the claims of a new access token as text. */
function claimsIn(body: unknown, headers: Headers): string {
  const token = (body as { accessToken?: unknown } | null)?.accessToken ?? tokenIn(headers);
  return typeof token === "string" ? Buffer.from(token.split(".")[1] ?? "", "base64url").toString() : "";
}
