/** The time in milliseconds that a storage may take to send an object, without the time that its reader takes. */
const READ_MS = 60_000;

/**
 * Limits an object that a storage server sends: to `maxBytes`, and to the time that its reader waits for the server.
 * Otherwise a server that sends slowly, or for ever, would keep a request open without end.
 */
export function boundedObject(
  object: ReadableStream<Uint8Array>,
  maxBytes: number,
  readMs = READ_MS,
): ReadableStream<Uint8Array> {
  const reader = object.getReader();
  let bytes = 0;
  let leftMs = readMs;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const since = performance.now();
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          // Ends the read that is pending.
          void reader.cancel().catch(() => {});
        }, leftMs);
        try {
          const { done, value } = await reader.read();
          leftMs -= performance.now() - since;
          if (isLate) throw new Error("The storage sends too slowly");
          if (done) return controller.close();
          bytes += value.length;
          if (bytes > maxBytes) throw new Error("The storage sends more than the size of the object");
          controller.enqueue(value);
        } catch (error) {
          void reader.cancel(error).catch(() => {});
          throw error;
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
