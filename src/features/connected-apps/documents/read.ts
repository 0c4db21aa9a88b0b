import { memoizePerApp, Permits, Rate, type SignedInCall } from "#kit";
import * as queries from "#sql/oauth-documents";
import { hostOf } from "../../../platform/http/outgoing-rules.ts";
import { LIMITS } from "../limits.ts";
import { documentUrl } from "./addresses.ts";
import { type DocumentFailure, type Fetched, fetchDocument } from "./fetch.ts";
import type { Description } from "./parse.ts";

/** An app as its document describes it; `host` is that of its client id. */
export type AppDocument = { name: string; redirectUris: string[]; host: string };

const FAILED_SECONDS = 60;
const MAX_WAIT_MS = 5_000;

const fetchesOf = memoizePerApp(() => new Rate(LIMITS.documents));
const permitsOf = memoizePerApp(() => new Permits(LIMITS.documentsAtOnce.levels));
/** The documents that are being read, by client id. */
const readsOf = memoizePerApp(() => new Map<string, Promise<AppDocument | null>>());

/**
 * Returns the app whose client id is the address of its document, for a signed-in person. All instances share the stored documents.
 * Callers who ask for one document at once share one read. Call it outside of transactions.
 * @returns null if there is no such app, whatever the reason
 * @throws tooManyRequests, if the person made the service fetch too many documents
 */
export async function readDocument(call: SignedInCall, clientId: string): Promise<AppDocument | null> {
  const url = documentUrl(clientId, call.app.config);
  if (url === null) return fail(call, clientId, "not_allowed");
  const reads = readsOf(call.app);
  return call.db.excludeFromDeadline(async () => {
    for (let running = reads.get(clientId); running !== undefined; running = reads.get(clientId)) {
      // An error of another caller, such as a limit, need not apply to this one.
      const shared = await running.catch(() => undefined);
      if (shared !== undefined) return shared;
    }
    const reading = read(call, url).finally(() => reads.delete(clientId));
    reads.set(clientId, reading);
    return reading;
  });
}

async function read(call: SignedInCall, url: URL): Promise<AppDocument | null> {
  const { app, db } = call;
  const [known] = await queries.findDocument.run({ url: url.href }, db);
  const isKnown = known !== undefined && (known.isFresh || known.hasFailed);
  if (isKnown) app.meter.count("oauth_documents_total", { outcome: "cached" });
  if (known?.isFresh) return present(url, { name: known.name, redirectUris: known.redirectUris ?? [] });
  if (isKnown) return null;
  const fetched = await fetchWithin(call, url);
  if ("failure" in fetched) {
    await queries.storeFailure.run({ url: url.href, seconds: FAILED_SECONDS }, db.writes);
    return fail(call, url.href, fetched.failure);
  }
  const { description, seconds } = fetched;
  const document = present(url, description);
  const { name, redirectUris } = document;
  await queries.storeDocument.run({ url: url.href, name, redirectUris, seconds }, db.writes);
  app.meter.count("oauth_documents_total", { outcome: "fetched" });
  return document;
}

/** Fetches a document within the limits. @throws tooManyRequests, serviceUnavailable */
function fetchWithin({ app, actor }: SignedInCall, url: URL): Promise<Fetched> {
  try {
    fetchesOf(app).consume(actor.userId);
  } catch (error) {
    app.meter.count("oauth_documents_total", { outcome: "limited" });
    throw error;
  }
  const wait = { deadlineAt: performance.now() + MAX_WAIT_MS };
  return permitsOf(app).run({ account: actor.userId, instance: "" }, wait, () => fetchDocument(app, url));
}

/** The host stands beside every name; it is the name of an app that says none. */
const present = (url: URL, { name, redirectUris }: Description): AppDocument => {
  const host = hostOf(url);
  return { name: name ?? host, redirectUris, host };
};

/** Every failure has the same response. The log has the reason for the operator, without the content of the document. */
function fail({ app, log, requestId }: SignedInCall, clientId: string, reason: DocumentFailure): null {
  app.meter.count("oauth_documents_total", { outcome: reason });
  const host = URL.parse(clientId)?.host ?? null;
  log.info("document of an app not read", { host, reason, requestId });
  return null;
}
