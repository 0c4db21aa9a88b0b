import { backoff, type Environment, pause } from "./environment.ts";
import { ApiError, type ConnectionError } from "./errors.ts";
import { isTransient, type Parts } from "./http.ts";
import type { Endpoint } from "./types.ts";

/** One change, discriminated by `type`. A later service may send other types, too: ignore them. */
export type FeedEntry = {
  readonly id: string;
  readonly type:
    | "organization.created"
    | "organization.updated"
    | "organization.status_changed"
    | "organization.plan_changed"
    | "organization.deleted"
    | "member.created"
    | "member.updated"
    | "member.deleted"
    | "unit.created"
    | "unit.updated"
    | "unit.deleted"
    | "user.updated"
    | "user.deleted";
  readonly timestamp: string;
  /** Null for a change of an account. */
  readonly organizationId: string | null;
  /** The record after the change, or before its deletion; of `user.deleted` only the id. */
  readonly object: Readonly<Record<string, unknown>>;
  /** The previous values of the changed fields. */
  readonly previous?: Readonly<Record<string, unknown>>;
  /** Why a membership ended. */
  readonly reason?: "removed" | "left" | "account_deleted";
  /** Present if the record was too large. `object` then has only `id`. */
  readonly truncated?: true;
};

export type FeedOptions = {
  /** The stored cursor; null if there is none yet. */
  readonly after: string | null;
  /** Stores a cursor. Called after the loop has handled all entries before it. */
  readonly save: (cursor: string) => unknown;
  /**
   * Reads the lists that the product keeps. Called before the first entry if `after` is null, and whenever entries
   * after the cursor were deleted. Without it, the latter ends the iteration with `CURSOR_EXPIRED`.
   */
  readonly onExpired?: () => unknown;
  /** Called with each failure after which the feed pauses and resumes, for a log. */
  readonly onFailure?: (error: ApiError | ConnectionError) => void;
  /** Aborting this signal ends the iteration, without an error. */
  readonly signal?: AbortSignal;
};

type Page = { readonly data: readonly FeedEntry[]; readonly cursor: string; readonly hasMore: boolean };

const PAGE_SIZE = 100;
const WAIT_SECONDS = 30;
const TIMEOUT_MS = (WAIT_SECONDS + 30) * 1000;
const ENDPOINT = "GET /api/product/feed" as Endpoint;

/** Creates the function that follows the feed. */
export function createFeed(
  environment: Pick<Environment, "after" | "random" | "wall">,
  request: (endpoint: Endpoint, parts: Parts) => Promise<unknown>,
) {
  return async function* feed(options: FeedOptions): AsyncGenerator<FeedEntry, void, undefined> {
    const { save, onExpired, onFailure, signal } = options;
    let cursor = options.after ?? null;
    let pauses = 0;

    async function rest(seconds = 0): Promise<void> {
      await pause(environment, Math.max(backoff(environment, pauses), seconds * 1000), signal);
      pauses += 1;
    }

    while (!signal?.aborted) {
      const askedAt = environment.wall();
      const isStart = cursor === null;
      const query = isStart
        ? { after: "latest" }
        : { after: cursor, wait: WAIT_SECONDS, pageSize: PAGE_SIZE };
      let page: Page;
      try {
        const parts = { query, timeoutMs: TIMEOUT_MS, retries: 0, signal } as Parts;
        page = (await request(ENDPOINT, parts)) as Page;
      } catch (error) {
        if (signal?.aborted) return;
        if (isExpired(error) && onExpired && !isStart) cursor = null;
        else if (isTransient(error)) {
          onFailure?.(error);
          await rest((error as Partial<ApiError>).retryAfter ?? 0);
        } else throw error;
        continue;
      }
      // The cursor is stored after the lists were read: after a crash in between, they are read again.
      if (isStart) await onExpired?.();
      for (const entry of page.data) {
        if (signal?.aborted) return;
        yield entry;
      }
      if (page.cursor !== cursor) await save(page.cursor);
      cursor = page.cursor;
      // At the edge the service does not wait for entries, so the feed does.
      const isEmpty = !isStart && page.data.length === 0 && !page.hasMore;
      if (isEmpty && environment.wall() - askedAt < 1000) await rest();
      else pauses = 0;
    }
  };
}

const isExpired = (error: unknown) => error instanceof ApiError && error.code === "CURSOR_EXPIRED";
