import { createBearer, isTemporary } from "./bearer.ts";
import type { Environment } from "./environment.ts";
import { ConnectionError } from "./errors.ts";
import { createLists, type ListMethods } from "./lists.ts";
import type { Caller, CheckedCaller, Refused } from "./product-caller.ts";
import {
  type Changes,
  type ChangesOptions,
  referenceOf,
  type Usage,
  type Written,
} from "./product-changes.ts";
import {
  CHECK_TIMEOUT_MS,
  type Check,
  type CheckOptions,
  type CheckSubject,
  createChecks,
} from "./product-checks.ts";
import { createFeed, type FeedEntry, type FeedOptions } from "./product-feed.ts";
import { idOf } from "./product-ids.ts";
import { createKeys, KEYS_TIMEOUT_MS, type KeySet } from "./product-keys.ts";
import type { Manifest, Name } from "./product-names.ts";
import { createVerifier } from "./product-tokens.ts";
import type { Endpoint, OptionalArguments, RequestOptions, Result } from "./types.ts";

/** What a product may read: with `X-Organization-Id` the lists of one organization, without it the platform's. */
export type ProductEndpoint = Endpoint &
  (
    | "GET /api/members"
    | "GET /api/members/{userId}"
    | "GET /api/units"
    | "GET /api/roles"
    | "GET /api/organization/billing"
    | "GET /api/organizations"
    | "GET /api/organizations/{id}"
    | "GET /api/permissions"
  );

/** Options of `createProduct`. */
export type ProductOptions<M extends Manifest = Manifest> = {
  /** The origin of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** The service's `APP_URL`, which its tokens name as their issuer. Default: the origin of `baseUrl`. */
  readonly issuer?: string;
  /** The service's `PRODUCT_KEY`. Never put it into a page. */
  readonly key: string;
  /** The product's manifest. Only its type is used: the compiler then refuses every name that it does not have. */
  readonly manifest?: M;
  /** Replaces the service's set of keys, so that a test can sign tokens of its own. */
  readonly jwks?: KeySet;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

/**
 * The service as a product sees it. Every method that sends a request rejects with `ApiError` if the service returns
 * an error, and with `ConnectionError` if no response of it arrives.
 */
export type Product<M extends Manifest = Manifest> = {
  /**
   * Returns the caller of an access token by its signature, without asking the service: roles are as they were when
   * the token was issued, up to 15 minutes ago. Asks `check` for an API key, and for a token without room for all
   * units.
   * @param token what the product received as bearer
   * @param ip the address that the product saw; API keys may be limited to addresses
   * @throws ApiError, ConnectionError, if the service must be asked
   */
  readonly verify: (
    token: string | null | undefined,
    ip?: string,
  ) => Promise<Caller<Name<M, "permissions">> | Refused>;

  /**
   * Asks the service who a caller is and what they may do now, also for a person or a service account without a token.
   * Answers for tokens are kept for 30 seconds, unless `fresh` is set.
   * @throws ApiError, ConnectionError
   */
  readonly check: (
    subject: CheckSubject,
    options?: CheckOptions,
  ) => Promise<CheckedCaller<Name<M, "permissions">, Name<M, "features">> | Refused>;

  /**
   * Writes what happened: usage, audit, events and notifications, all or nothing.
   * @throws ApiError, `PLAN_LIMIT_REACHED` among others: nothing was written; ConnectionError: send it again later with
   * the same key
   */
  readonly changes: (changes: Changes<M>, options: ChangesOptions) => Promise<Written<M>>;

  /**
   * Yields what changes in all organizations, in order and without end: `for await (const entry of product.feed(…))`.
   * Every entry arrives at least once. Pauses and resumes after failures of the connection or of the service.
   * @throws ApiError that waiting does not end, such as `UNAUTHENTICATED`; what `save` and `onExpired` throw; from the
   * iteration
   */
  readonly feed: (options: FeedOptions) => AsyncGenerator<FeedEntry, void, undefined>;

  /**
   * Returns the UUID for a record whose own id is none: the UUIDv5 of `record:key` in the namespace of URLs.
   * @throws nothing
   */
  readonly id: (record: string, key: string | number | bigint) => Promise<string>;

  /**
   * Reads one of the routes that a product may read: `request("GET /api/units", { headers: { "X-Organization-Id": id
   * } })`.
   * @throws ApiError, ConnectionError
   */
  readonly request: ProductRequest<M>;

  /**
   * Yields the rows of such a list, page by page.
   * @throws ApiError, ConnectionError, from the iteration
   */
  readonly rows: ListMethods<ProductEndpoint>["rows"];
};

/** The two forms of `request`: a route of the service, and what an organization uses of the product's limits. */
type ProductRequest<M extends Manifest> = {
  <E extends ProductEndpoint>(
    endpoint: E,
    ...options: OptionalArguments<RequestOptions<E>>
  ): Promise<Result<E>>;
  (
    endpoint: "GET /api/product/organizations/{id}/usage",
    options: { readonly path: { readonly id: string }; readonly signal?: AbortSignal },
  ): Promise<(Usage<M> & { readonly resetsAt: string | null })[]>;
};

const CHECK = "POST /api/product/check" as Endpoint;
/** The form of an API key; no access token has it. */
const API_KEY = /^[a-z][a-z0-9]{1,9}_[0-9A-Za-z]{46}$/;

/** Creates the product's client with these timers; tests pass their own. */
export function createProductIn<const M extends Manifest>(
  environment: Pick<Environment, "after" | "random" | "wall">,
  { baseUrl, issuer, key, jwks, ...options }: ProductOptions<M>,
): Product<M> {
  const { wall } = environment;
  const { fetch = globalThis.fetch } = options;
  // The API never redirects, and neither key nor keys of tokens may come from another place.
  const direct = ((url: string, init: RequestInit) =>
    fetch(url, { ...init, redirect: "manual" })) as typeof globalThis.fetch;
  const requestWith = (token: string | null) =>
    createBearer(environment, {
      baseUrl,
      token,
      fetch: direct,
      // A check is on the way of a request: it is repeated only if a connection that was kept open had ended.
      isTemporary: (endpoint, error) =>
        endpoint === CHECK
          ? error instanceof ConnectionError && error.code === "NETWORK_ERROR"
          : isTemporary(endpoint, error),
    });
  const [request, requestPublicly] = [requestWith(key), requestWith(null)];

  async function keySet(): Promise<KeySet> {
    const endpoint = "GET /.well-known/jwks.json" as Endpoint;
    return jwks ?? ((await requestPublicly(endpoint, { retries: 0, timeoutMs: KEYS_TIMEOUT_MS })) as KeySet);
  }

  const check = createChecks(
    (body) => request(CHECK, { body, retries: 1, timeoutMs: CHECK_TIMEOUT_MS }) as Promise<Check>,
    wall,
  );
  const verified = createVerifier(createKeys(keySet, wall), issuer ?? new URL(baseUrl).origin, wall);

  async function verify(token: string | null | undefined, ip?: string): Promise<Caller | Refused> {
    const isKey = API_KEY.test(token ?? "");
    return (isKey ? null : await verified(token ?? "")) ?? check({ token, ip });
  }

  const changes = ({ actor, ...others }: Changes<M>, options: ChangesOptions) =>
    request("POST /api/product/changes" as Endpoint, {
      ...options,
      body: { ...others, actor: referenceOf(actor) },
    });

  const { rows } = createLists(request);
  return {
    verify,
    check,
    changes,
    feed: createFeed(environment, request),
    id: idOf,
    request,
    rows,
  } as Product<M>;
}
