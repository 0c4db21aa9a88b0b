import { getDomain } from "tldts";
import type { z } from "zod";
import type { SignedInCall } from "#kit";
import * as queries from "#sql/oauth-authorize";
import { isRegisteredId } from "../app-name.ts";
import { readableName } from "../documents/parse.ts";
import { readDocument } from "../documents/read.ts";
import type { Client } from "../schemas.ts";

/** An app that may ask for an authorization: a registered one, or one that a document describes. */
export type FoundClient = z.output<typeof Client> & {
  /** The id of a registered app. */
  oauthClientId: string | null;
  /** The organization that registered it. */
  organizationId: string | null;
  redirectUris: string[];
};

/** Finds an app by its client id; null if it is unknown, disabled or deleted, or if its document could not be read. */
export async function findClient(call: SignedInCall, clientId: string): Promise<FoundClient | null> {
  if (isRegisteredId(clientId)) return findRegistered(call, clientId);
  const document = await readDocument(call, clientId);
  return (
    document && { ...document, id: clientId, source: "document", oauthClientId: null, organizationId: null }
  );
}

async function findRegistered({ db }: SignedInCall, id: string): Promise<FoundClient | null> {
  const [client] = await queries.findRegisteredClient.run({ id }, db);
  if (client === undefined) return null;
  const { name, organizationId, redirectUris } = client;
  return {
    id,
    name: readableName(name) ?? "?",
    host: null,
    source: organizationId === null ? "operator" : "organization",
    oauthClientId: id,
    organizationId,
    redirectUris,
  };
}

/** Whether a redirect leads to another site than the one that describes the app. */
export const isOtherSite = (host: string | null, redirectHost: string): boolean =>
  host !== null && siteOf(host) !== siteOf(redirectHost);

/** The registrable domain of a host, otherwise the host. */
const siteOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host;
