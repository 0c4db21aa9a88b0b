/**
 * Says of jobs that they are done, each as soon as the word can get through: those that are done while it is under way
 * go together, right behind it. Idle, a job does not wait; busy, many cost one statement.
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
