import { SQL } from "bun";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import type { ApiResponse } from "./caller.ts";
import { until } from "./cluster.ts";
import type { Service } from "./service.ts";

/** A lock that a test holds to decide the order of calls. */
export type AcquiredLock = {
  /** Resolves when this many calls wait for the lock. They will get it in the order in which they arrived. */
  waiting(count: number): Promise<void>;
  release(): Promise<void>;
};

/** Sends each call once the one before waits for the lock, then releases it: they get it in this order. */
export async function inLine<T = ApiResponse>(
  lock: { waiting(count: number): Promise<unknown>; release(): Promise<void> },
  ...calls: (() => Promise<T>)[]
): Promise<T[]> {
  const responses: Promise<T>[] = [];
  try {
    for (const call of calls) {
      responses.push(call());
      await lock.waiting(responses.length);
    }
  } finally {
    await lock.release();
  }
  return Promise.all(responses);
}

/** Takes the advisory lock of a user (src/core/locks.ts), before the calls that need it. */
export async function holdUserLock(t: Service, email: string): Promise<AcquiredLock> {
  const { id } = exactlyOne(await t.sql<{ id: string }>("SELECT id FROM users WHERE email = $1", [email]));
  return holdLock(t, "user", id);
}

/** Takes the advisory lock of an organization (src/core/locks.ts), before the calls that need it. */
export const holdOrganizationLock = (t: Service, organizationId: string): Promise<AcquiredLock> =>
  holdLock(t, "organization", organizationId);

/** Takes the advisory lock of an email (src/core/locks.ts), before the calls that need it. */
export const holdEmailLock = (t: Service, email: string): Promise<AcquiredLock> =>
  holdLock(t, "email", email, "text");

/** Takes the lock under which the database gives an email to an account, before the calls that need it. */
export const holdGivingOfEmail = (t: Service, email: string): Promise<AcquiredLock> =>
  holdKey(t, email, {
    locked: "hashtext('retired email'), retired_email_lock($1)",
    key: "(hashtext('retired email')::bigint << 32 | (retired_email_lock($1)::bigint & 4294967295))",
  });

function holdLock(
  t: Service,
  kind: "user" | "organization" | "email",
  id: string,
  type = "uuid",
): Promise<AcquiredLock> {
  const key = `hashtextextended('${kind}:' || $1::${type}, 0)`;
  return holdKey(t, id, { locked: key, key });
}

/** `key` is the lock as one bigint, whether it is locked as one or as two integers. */
async function holdKey(
  t: Service,
  id: string,
  { locked, key }: { locked: string; key: string },
): Promise<AcquiredLock> {
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const connection = await holder.reserve();
  // pg_locks splits the bigint key of an advisory lock into two halves.
  const waiters = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32 | objid::bigint) = ${key}`;
  await connection.unsafe(`SELECT pg_advisory_lock(${locked})`, [id]);
  return {
    async waiting(count) {
      await until(async () => ((await t.sql(waiters, [id])).length >= count ? true : null));
    },
    async release() {
      await connection.unsafe(`SELECT pg_advisory_unlock(${locked})`, [id]);
      connection.release();
      await holder.close();
    },
  };
}

/** Locks the audit log, so that a transaction waits before it writes an event, with its other writes uncommitted. */
export async function holdEvents(t: Service) {
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const connection = await holder.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe("LOCK TABLE audit_events IN SHARE MODE");
  const waiting = `SELECT locktype AS type, pid FROM pg_locks WHERE NOT granted
    AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()) ORDER BY waitstart, pid`;
  return {
    /** Waits until this many statements wait for locks; returns the types of these locks in order of arrival. */
    waiting: (count: number) =>
      until(async () => {
        const types = (await t.sql<{ type: string }>(waiting)).map(({ type }) => type);
        return types.length >= count ? types : null;
      }),
    async release() {
      await connection.unsafe("COMMIT");
      connection.release();
      await holder.close();
    },
  };
}

/**
 * Locks the row of a user, so that an insert with a foreign key to it waits in the middle of its transaction. Calls
 * that need the user's advisory lock then queue behind that transaction.
 */
export async function holdUserRow(t: Service, email: string): Promise<AcquiredLock> {
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const connection = await holder.reserve();
  await connection.unsafe("BEGIN");
  await connection.unsafe("SELECT FROM users WHERE email = $1 FOR UPDATE", [email]);
  const waiters =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return {
    async waiting(count) {
      await until(async () => ((await t.sql(waiters)).length >= count ? true : null));
    },
    async release() {
      await connection.unsafe("COMMIT");
      connection.release();
      await holder.close();
    },
  };
}
