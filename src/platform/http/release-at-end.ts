import type { Release } from "../limits/permits.ts";

/**
 * The maximum duration of an export. A slower export is aborted, so that it does not keep its permit, and does not
 * continue long after permissions were revoked.
 */
const MAX_EXPORT_MS = 600_000;

/**
 * Wraps a response so that it releases the permit when its body ends: if it was read to its end, failed, was
 * cancelled by the client, or was aborted after `maxMs`.
 */
export function releaseAtEnd(response: Response, release: Release, maxMs = MAX_EXPORT_MS): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    release();
    return response;
  }
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    if (!isOver) release();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setTimeout(() => {
        end();
        controller.error(new Error("The export took too long"));
        reader.cancel().catch(() => {});
      }, maxMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
