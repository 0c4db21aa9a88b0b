/**
 * Marks jobs as completed. Jobs that complete while a statement is running are combined in the next statement: an
 * idle queue adds no delay, and on a busy queue many jobs cost one statement.
 */
export function batchCompletions(
  complete: (ids: string[]) => Promise<unknown>,
): (id: string) => Promise<void> {
  let waiting: string[] = [];
  let next: Promise<void> | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  function sendWaiting(): Promise<unknown> {
    const ids = waiting;
    waiting = [];
    next = null;
    underWay = complete(ids);
    return underWay;
  }

  return (id) => {
    waiting.push(id);
    next ??= underWay.then(sendWaiting, sendWaiting).then(() => {});
    return next;
  };
}
