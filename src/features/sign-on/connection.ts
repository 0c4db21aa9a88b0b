import type { Queryable } from "#kit";
import * as queries from "#sql/sso-sign-in";
import type { ClaimNames } from "./answer.ts";

type Row = Awaited<ReturnType<typeof queries.findConnection.run>>[number];

/** A live connection of a live organization, as a sign-in reads it. */
export type Connection = Omit<Row, "claims"> & { claims: ClaimNames };

export async function findConnection(db: Queryable, id: string): Promise<Connection | null> {
  const [connection] = await queries.findConnection.run({ id }, db);
  return (connection as Connection | undefined) ?? null;
}

/** Whether somebody may sign in by a connection whose flow began with this version of its provider and claims. */
export const isAsItWas = (connection: Connection | null, version: number): connection is Connection =>
  connection !== null && connection.status === "ENABLED" && connection.testedVersion === version;
