import type { Cipher } from "../platform/crypto.ts";
import type { Database } from "../platform/db/connection.ts";
import type { InTransaction } from "../platform/db/transaction.ts";
import type { BodyIntakes } from "../platform/http/body-intake.ts";
import type { ImageCleaner } from "../platform/images/cleaner.ts";
import type { Job, JobQueue } from "../platform/jobs/queue.ts";
import type { Logger } from "../platform/log.ts";
import type { Mailer } from "../platform/mail/mailer.ts";
import type { PasswordHasher } from "../platform/passwords/hasher.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { Actor } from "./access/access.ts";
import type { AccessTokens } from "./access/access-token.ts";
import type { Authority } from "./access/authority.ts";
import type { Config } from "./config.ts";
import type { ServiceMeter } from "./counters.ts";

/**
 * What lives as long as the process. Built in src/app/services.ts, handed down, never imported. What only one feature
 * needs, that feature adds by declaration merging: `declare module` of this file, with an `interface App`.
 */
export interface App {
  readonly config: Config;
  readonly log: Logger;
  readonly meter: ServiceMeter;
  readonly db: Database;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly hasher: PasswordHasher;
  readonly accessTokens: AccessTokens;
  /** What the secrets of second factors are kept in. */
  readonly twoFactorCipher: Cipher;
  readonly storage: Storage;
  readonly images: ImageCleaner;
  /** Rows of so many people a list looks for by index; of more, it looks at each row instead. */
  readonly mostPeople: number;
  readonly bodies: BodyIntakes;
}

/** One request, or one job: on whose behalf, from where. Services take it first, and transactions carry it. */
export interface Call {
  readonly app: App;
  /** Null for public routes and for jobs. */
  readonly actor: Actor | null;
  /** Of a job: that of the request that caused it, if one did. */
  readonly requestId: string | null;
  /** Null for jobs. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** A call inside its transaction. Queries run on `db`; effects take the whole. */
export type Tx<C extends Call = Call> = InTransaction<C>;

/** A call of somebody who is signed in. */
export interface SignedInCall extends Call {
  readonly actor: Actor;
}

/** A call that acts in one organization: the caller's active one, or the one that a platform administrator named. */
export interface OrganizationCall extends SignedInCall {
  readonly organizationId: string;
  /** What the caller may do there, as the access token says. */
  readonly authority: Authority;
}

/** A call that spans organizations: the caller's active one, or whichever ones a platform administrator named. */
export interface SpanningCall extends SignedInCall {
  /** Null for all. */
  readonly organizations: string[] | null;
  readonly authority: Authority;
}

/** The call that a job's work runs under: nobody's. */
export const callOfJob = (app: App, job?: Pick<Job<unknown>, "requestId">): Call => ({
  app,
  actor: null,
  requestId: job?.requestId ?? null,
  ip: null,
  userAgent: null,
});
