/**
 * Waits for all of what was asked for without waiting, so that it travels together. Of several failures the one that
 * stands first is thrown: which is told must not depend on which answer came first.
 */
export async function together<T extends readonly unknown[]>(
  ...asked: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(asked);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}
