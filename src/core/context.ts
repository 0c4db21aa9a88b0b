import type { Cipher } from "../platform/crypto.ts";
import type { Database } from "../platform/db/connection.ts";
import type { InTransaction } from "../platform/db/transaction.ts";
import type { ImageCleaner } from "../platform/images/cleaner.ts";
import type { Job } from "../platform/jobs/queue.ts";
import type { JobQueue } from "../platform/jobs/send.ts";
import type { Logger } from "../platform/log.ts";
import type { Mailer } from "../platform/mail/mailer.ts";
import type { PasswordHasher } from "../platform/passwords/hasher.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { Actor, MachineActor, ProductActor, UserActor } from "./access/access.ts";
import type { AccessTokens } from "./access/access-token.ts";
import type { TokenPermissions } from "./access/effective-permissions.ts";
import type { Filters } from "./access/filter.ts";
import type { SigningKeys } from "./access/signing-keys.ts";
import type { BodyReaders } from "./bodies.ts";
import type { Config } from "./config.ts";
import type { ServiceMeter } from "./counters.ts";

/**
 * The process-wide services. They are created in src/app/services.ts and passed as an argument, never imported. A
 * service that only one feature needs is added by that feature with declaration merging: `declare module` of this
 * file, with an `interface App`.
 */
export interface App {
  readonly config: Config;
  readonly log: Logger;
  readonly meter: ServiceMeter;
  readonly jobs: JobQueue;
  readonly mailer: Mailer;
  readonly hasher: PasswordHasher;
  readonly accessTokens: AccessTokens;
  readonly signingKeys: SigningKeys;
  /** Encrypts the secrets of second factors. */
  readonly twoFactorCipher: Cipher;
  readonly storage: Storage;
  readonly images: ImageCleaner;
  /**
   * The maximum number of user ids that are passed to a list query, which then finds their rows by index. If there
   * are more, the list query filters its own rows.
   */
  readonly maxUserIdsInFilter: number;
  /** Whether a timer that a request started continues after the response; at the edge it does not. */
  readonly timersOutliveRequests: boolean;
  readonly bodies: BodyReaders;
}

/**
 * The context of one request or job: its actor and origin. It is the first argument of services, and transactions
 * extend it.
 */
export interface Call {
  readonly app: App;
  /**
   * The database of this request or job; use no other. Inside a transaction it is the connection of the transaction.
   */
  readonly db: Database;
  /** The logger. Lines that a job logs contain the job's queue and id. */
  readonly log: Logger;
  /** The signed-in user, or the service account of an API key; null for public routes and for jobs. */
  readonly actor: Actor | null;
  /** The id of the request; in a job, of the request that queued the job, if any. */
  readonly requestId: string | null;
  /** The client's address; null for jobs. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** A call inside its transaction. Queries run on `db`; functions for effects take the whole object. */
export type Tx<C extends Call = Call> = InTransaction<C>;

/** A call of a signed-in user or of a service account. */
export interface AuthenticatedCall extends Call {
  readonly actor: Actor;
}

/** A call of a signed-in user. */
export interface SignedInCall extends AuthenticatedCall {
  readonly actor: UserActor;
}

/** A call that spans organizations: the caller's active one, or those that a platform administrator named. */
export interface CrossOrganizationCall extends AuthenticatedCall {
  /** The ids of the organizations; null means all of them. */
  readonly organizations: string[] | null;
  /**
   * The permissions of the caller there, according to the access token, or to the database for an API key.
   */
  readonly permissions: TokenPermissions;
  /** The filters of the request, which restrict the reach; none on routes without `filterHeaders`. */
  readonly filters: Filters;
}

/** A call that acts in one organization: the caller's active one, or the one that a platform administrator named. */
export interface OrganizationCall extends CrossOrganizationCall {
  readonly organizationId: string;
}

/** A call of a service account, in its organization. */
export interface MachineCall extends OrganizationCall {
  readonly actor: MachineActor;
}

/** A call of a connected app, in its organization. */
export interface AppCall extends OrganizationCall {
  readonly actor: UserActor & Required<Pick<UserActor, "app">>;
}

/** A call of the product whose code runs elsewhere. */
export interface ProductCall extends AuthenticatedCall {
  readonly actor: ProductActor;
}

/**
 * The process-wide services with their database. In runtimes where a connection cannot outlive a request, the
 * database belongs to the request.
 */
export type Service = Pick<Call, "app" | "db" | "log">;

/** Returns the call of a job, which has no actor. */
export const systemCall = ({ app, db, log }: Service, job?: Pick<Job<unknown>, "requestId">): Call => ({
  app,
  db,
  log,
  actor: null,
  requestId: job?.requestId ?? null,
  ip: null,
  userAgent: null,
});
