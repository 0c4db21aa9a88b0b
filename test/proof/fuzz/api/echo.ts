import { byId, operations } from "./operations.ts";
import type { Finding } from "./oracles.ts";
import type { Row } from "./pages.ts";
import type { Plan } from "./requests.ts";
import { type Answer, type Sent, sendPatiently } from "./send.ts";

/*
 * What was written is answered as it was sent, and read afterwards as it was answered.
 */

/** An address becomes its path (rules 20.12). */
const REWRITTEN = new Set(["pagePath"]);

/** @returns why an answer is not what was sent, or not what is read next */
export async function unwritten(
  { operation }: Plan,
  request: Sent,
  answer: Answer,
  url: string,
): Promise<Finding | null> {
  const { method, path = "" } = byId.get(operation) ?? {};
  const written = answer.body as Row | null;
  if ((method !== "POST" && method !== "PATCH") || !isObject(written)) return null;
  const sent = isObject(request.value) ? request.value : {};
  const lost = Object.keys(sent).find(
    (key) => key in written && !REWRITTEN.has(key) && differs(sent[key], written[key]),
  );
  if (lost !== undefined)
    return {
      kind: "written",
      what: `${request.line}\n    answers ${lost} ${JSON.stringify(written[lost])}`,
    };
  const isMade = method === "POST" && typeof written.id === "string";
  const alone = operations.find(
    (one) => one.method === "GET" && (isMade ? one.path === `${path}/{id}` : one.path === path),
  );
  if (alone === undefined) return null;
  const [place = ""] = request.path.split("?");
  const asked: Sent = {
    ...request,
    method: "GET",
    path: isMade ? `${place}/${written.id}` : place,
    init: { headers: { ...request.init.headers } },
  };
  const { status, body } = await sendPatiently(url, asked);
  if (status === 403 || !isObject(body)) return null;
  const changed = Object.keys(written).find(
    (key) => key in body && JSON.stringify(written[key]) !== JSON.stringify(body[key]),
  );
  if (status === 200 && changed === undefined) return null;
  return {
    kind: "written",
    what: `${request.line}\n    answered ${JSON.stringify(written).slice(0, 300)}\n    and ${asked.path} ${status} ${JSON.stringify(body).slice(0, 300)}`,
  };
}

const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Texts are trimmed and emails folded; lists and parts are presented in ways of their own. */
function differs(sent: unknown, written: unknown): boolean {
  if (typeof sent === "string" && typeof written === "string")
    return /^[\x20-\x7e]*$/.test(sent) && sent.trim().toLowerCase() !== written.trim().toLowerCase();
  return (typeof sent === "boolean" || sent === null) && sent !== written;
}
