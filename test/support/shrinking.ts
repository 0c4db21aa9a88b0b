/**
 * Returns a predicate for a fast-check property, whose failures are shrunk for a limited time. After that time every
 * value passes unchecked, so that shrinking ends with the smallest failure found so far.
 * @param milliseconds counted from the first failure
 */
export function shrinkFor<T>(
  milliseconds: number,
  check: (value: T) => Promise<void>,
): (value: T) => Promise<void> {
  let endsAt = Number.POSITIVE_INFINITY;
  return async (value) => {
    if (performance.now() > endsAt) return;
    try {
      await check(value);
    } catch (error) {
      endsAt = Math.min(endsAt, performance.now() + milliseconds);
      throw error;
    }
  };
}
