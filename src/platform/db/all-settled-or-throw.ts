/**
 * Awaits statements that were started together and so are pipelined. If several fail, throws the error of the first
 * in argument order, so that the error does not depend on timing.
 */
export async function allSettledOrThrow<T extends readonly unknown[]>(
  ...promises: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(promises);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}
