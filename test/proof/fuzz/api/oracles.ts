import { claimsOf } from "../../../support/caller.ts";
import { assertDocumented } from "../../../support/document.ts";
import { refusalOf } from "./access.ts";
import { SEES } from "./callers.ts";
import type { Plan } from "./requests.ts";
import type { Answer, Sent } from "./send.ts";
import { KINDS } from "./values.ts";
import { forbiddenWord, seenIn, seesAll } from "./words.ts";
import type { World } from "./world.ts";

const KINDS_OF_FINDINGS = [
  ...(["server error", "undocumented", "header", "leak", "access", "reach"] as const),
  ...(["list", "session", "changed", "deleted", "existence", "written", "recipient"] as const),
] as const;

/** What a finding is about. */
export type Finding = {
  kind: (typeof KINDS_OF_FINDINGS)[number];
  what: string;
};

/** Of an address and all headers together; Bun's limit is 16 KB. */
const MAX_HEAD = 15_000;
const headLength = ({ path, init }: Sent) => path.length + JSON.stringify(init.headers).length;

/** What no answer holds, whoever asks. */
const INTERNAL = /\$argon2|\b(password|token|code)_?hash\b|\bsealed_?secret\b|\bstorage_?key\b/i;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * What is wrong with an answer: a status of 500 or more (502 and 503 where the payment provider is away), anything that the
 * document does not declare for the operation, or a word or an id of an organization that the caller may not see.
 * @param sent every id that a request of this world has named so far: what was sent may come back
 */
export function judge(
  plan: Plan,
  request: Sent,
  answer: Answer,
  world: World,
  { isProviderAway, sent }: { isProviderAway: boolean; sent: Set<string> },
): Finding | null {
  const { status, body, headers, text } = answer;
  const said = `${request.line}\n    answered ${status} ${JSON.stringify(body)?.slice(0, 600)}`;
  if (status >= 500 && !(isProviderAway && (status === 502 || status === 503)))
    return { kind: "server error", what: said };
  // The runtime refuses it before the service sees it.
  if (status === 431 && headLength(request) > MAX_HEAD) return null;
  try {
    assertDocumented(request.method, request.path, { status, body, headers });
  } catch (error) {
    return { kind: "undocumented", what: `${said}\n    ${String(error).slice(0, 1000)}` };
  }
  if (INTERNAL.test(text)) return { kind: "leak", what: `${said}\n    holds what is internal` };
  const refusal = status < 300 ? wrongAdmission(plan, request, world) : null;
  if (refusal !== null) return { kind: "access", what: `${said}\n    although ${refusal}` };
  const wrongId = wrongRequestId(request, headers);
  if (wrongId !== null) return { kind: "header", what: `${said}\n    ${wrongId}` };
  const sees = seenIn(plan);
  const given = `${request.path} ${JSON.stringify(request.init.headers)} ${typeof request.init.body === "string" ? request.init.body : ""}`;
  for (const [id] of given.matchAll(UUID)) sent.add(id);
  if (plan.credentials === "cookie of another") return null;
  const word = forbiddenWord(plan, world, text);
  if (word !== null) return { kind: "leak", what: `${said}\n    holds ${word}` };
  if (seesAll(plan, world)) return null;
  for (const [id] of text.matchAll(UUID)) {
    const owner = world.owners.get(id);
    if (owner !== undefined && !sees.includes(owner) && !sent.has(id))
      return { kind: "leak", what: `${said}\n    holds ${id}, which is of another organization (${owner})` };
  }
  return null;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Of an answer's request id: the one that was sent, if that is harmless (rules 1.8), and a new one otherwise. */
function wrongRequestId({ init }: Sent, headers: Headers): string | null {
  const sent = (init.headers as Record<string, string>)["X-Request-Id"]?.trim();
  const got = headers.get("x-request-id") ?? "";
  if (sent !== undefined && REQUEST_ID.test(sent)) return got === sent ? null : `has the request id ${got}`;
  return REQUEST_ID.test(got) && got !== sent ? null : `has the request id ${got}`;
}

/** Why a request that succeeded should not have: who sent it may not, or it names what is of another organization. */
function wrongAdmission(
  { operation, caller, credentials }: Plan,
  { method, params, value, token }: Sent,
  { owners }: World,
): string | null {
  const claims = token === null || credentials === "forged" ? null : claimsOf(token);
  const refusal = refusalOf(operation, claims);
  if (refusal !== null || claims?.isPlatformAdmin) return refusal;
  const named = [...Object.values(params), ...(method === "GET" ? [] : idsIn(value))];
  const foreign = named.find((id) => {
    const owner = owners.get(id);
    return owner !== undefined && !SEES[caller].includes(owner);
  });
  return foreign === undefined ? null : `${foreign} is of another organization (${owners.get(foreign)})`;
}

/** The ids in the fields of a body that name records; one in a text means nothing. */
function idsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return name in KINDS ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => idsIn(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => idsIn(one, key));
}
