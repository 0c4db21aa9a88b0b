import type { Context } from "hono";

/** Returns 204 once the work is done. */
export async function noContent(c: Pick<Context, "body">, work: Promise<unknown>) {
  await work;
  return c.body(null, 204);
}
