import { timingSafeEqual } from "node:crypto";
import { type Call, tokenHash } from "#kit";
import * as queries from "#sql/oauth-tokens";
import { isDocumentAddress, isRegisteredId } from "../app-name.ts";
import { oauthError } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { countUnknownAppToken } from "./verify.ts";

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

type Sent = { id: string; secret: string | null; isBasic: boolean };

/**
 * Finds out which client sends a request, and that it is this client (rules 46.12). A client that describes itself by a document proves
 * nothing and needs no row: it is known by what it was granted. Nothing is fetched here.
 * @throws invalid_request; invalid_client; tooManyRequests after too many clients and secrets that do not exist
 */
export async function authenticateClient(call: Call, headers: Headers, fields: Fields): Promise<string> {
  const { id, secret, isBasic } = sentClient(headers, fields);
  const refused = () =>
    oauthError(
      "invalid_client",
      isBasic ? { "www-authenticate": `Basic realm="${call.app.config.apiUrl}"` } : {},
    );
  const unknown = () => {
    countUnknown(call);
    return refused();
  };
  if (!isRegisteredId(id)) {
    if (!isDocumentAddress(id, { http: true })) throw unknown();
    if (isBlocked(call, id) || secret !== null) throw refused();
    return id;
  }
  const [client] = await queries.findTokenClient.run({ id }, call.db);
  if (client === undefined) throw unknown();
  if (!client.isUsable || isBlocked(call, id) || client.isConfidential !== (secret !== null)) throw refused();
  if (secret !== null && !isSecretOf(client, secret)) throw unknown();
  return id;
}

/** Counts something that does not exist for the limit of its address. @throws tooManyRequests */
export const countUnknown = ({ app, ip }: Call): void => countUnknownAppToken({ app, ip: ip ?? "" });

/** Returns the client as a request names it, by the header or by parameters (RFC 6749, 2.3.1). @throws invalid_request */
function sentClient(headers: Headers, fields: Fields): Sent {
  const [id, secret] = [fields.get("client_id"), fields.get("client_secret")];
  const header = headers.get("authorization") ?? "";
  if (header === "") return { id: fields.need("client_id"), secret, isBasic: false };
  const basic = readBasic(header);
  if (basic === null || secret !== null || (id !== null && id !== basic.id))
    throw oauthError("invalid_request");
  return { ...basic, isBasic: true };
}

function readBasic(header: string): Omit<Sent, "isBasic"> | null {
  const [, encoded = ""] = BASIC.exec(header) ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1) return null;
  const decode = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
  try {
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) || null };
  } catch {
    return null;
  }
}

const isBlocked = ({ app }: Call, id: string) => {
  const { blocked } = app.config.appRules;
  return blocked.includes(id) || (!isRegisteredId(id) && blocked.includes(new URL(id).hostname));
};

/** Whether a secret is the client's, or its previous one that still works. Compares digests in constant time. */
function isSecretOf(client: queries.IFindTokenClientResult, secret: string): boolean {
  const digest = Buffer.from(tokenHash(secret));
  return [client.secretHash, client.previousSecretHash]
    .filter((stored) => stored !== null)
    .map((stored) => timingSafeEqual(Buffer.from(stored), digest))
    .includes(true);
}
