import { SignJWT } from "jose";
import { exactlyOne } from "../../src/platform/db/prepared-query.ts";
import { type Caller, claimsOf } from "./caller.ts";
import { expectStatus } from "./service.ts";

/** A service or a connection that runs SQL. */
type Sql = { sql<Row>(text: string, values?: unknown[]): Promise<Row[]> };

export const userIdOf = ({ accessToken }: Caller): string => claimsOf(accessToken ?? "").sub;

/** Returns the types of a user's notifications, newest first. */
export const typesOf = async (person: Caller): Promise<string[]> =>
  expectStatus(await person.get("/api/notifications?pageSize=50"), 200).body.data.map(
    ({ type }: { type: string }) => type,
  );

/** Inserts and announces a notification in one transaction, as the service does; returns its id. */
export async function write(t: Sql, person: Caller): Promise<string> {
  const rows = await t.sql<{ id: string }>(
    `WITH written AS (INSERT INTO notifications (user_id, type, data) VALUES ($1, 'TEST', '{"sentAt": "2026-01-31T09:30:00.000Z"}') RETURNING id)
     SELECT id, pg_notify('notifications', $1::text || ' ' || id) FROM written`,
    [userIdOf(person)],
  );
  return exactlyOne(rows).id;
}

/** Announces `count` notifications to a user, a hundred per NOTIFY, without inserting any. */
export const announceMany = (t: Sql, person: Caller, count: number) =>
  t.sql(
    `SELECT pg_notify('notifications', lines) FROM (
       SELECT string_agg($1 || ' ' || gen_random_uuid(), E'\\n') AS lines
       FROM generate_series(0, $2::int - 1) n GROUP BY n / 100
     ) grouped`,
    [userIdOf(person), count],
  );

/** Returns the same user with an access token that expires at `exp`, in seconds since the epoch. */
export async function withTokenUntil(person: Caller, secret: string, exp: number): Promise<Caller> {
  const shortLived = person.at(person.url);
  shortLived.accessToken = await new SignJWT({ ...claimsOf(person.accessToken ?? ""), exp })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
  return shortLived;
}
