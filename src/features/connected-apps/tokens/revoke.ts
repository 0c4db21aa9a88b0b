import { type Call, tokenHash as digestOf, type Queryable, type Tx, transaction } from "#kit";
import * as queries from "#sql/oauth-tokens";
import { isAppSecret } from "../../../core/access/token-forms.ts";
import { endRevoked } from "../grants/end.ts";
import { countUnknown } from "./client.ts";
import type { Fields } from "./fields.ts";

async function findOwner(db: Queryable, token: string) {
  if (!isAppSecret("a", token) && !isAppSecret("r", token)) return undefined;
  return (await queries.findTokenOwner.run({ tokenHash: digestOf(token) }, db))[0];
}

/**
 * Ends what a client gives back (RFC 7009; rules 46.16): a refresh token ends its grant, an access token only itself. Nothing else
 * changes anything, and no answer says what the token was.
 * @throws invalid_request; tooManyRequests after too many tokens that do not exist
 */
export async function revoke(call: Call, clientId: string, fields: Fields): Promise<void> {
  const token = fields.need("token");
  const found = await findOwner(call.db, token);
  if (found === undefined) countUnknown(call);
  if (found?.clientId !== clientId) return;
  if (found.kind === "refresh") await transaction(call, (tx) => endRevoked(tx, found, "app"));
  else await queries.endAccessToken.run({ tokenHash: digestOf(token) }, call.db.writes);
}

/** Ends the grant of a leaked token that somebody reported (rules 46.16). Does nothing if there is none. */
export async function endReported(tx: Tx, token: string): Promise<void> {
  const found = await findOwner(tx.db, token);
  if (found !== undefined) await endRevoked(tx, found, "reported");
}
