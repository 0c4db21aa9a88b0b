import type { Schemas } from "./types.ts";

/**
 * An event of the stream: its name, and its data as JSON. A service newer than the client may send events with
 * other names.
 */
export type ServerEvent = Schemas["NotificationStreamEvent"];

/**
 * Reads a `text/event-stream`. Calls `onBytes` for all bytes that arrive, including comments.
 * @throws the reader's error if the connection breaks or is aborted; SyntaxError for data that is not JSON
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const frames = (rest + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const fieldsOf = (name: string) =>
          frame
            .split("\n")
            .flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
        const [event] = fieldsOf("event");
        if (event === undefined) continue;
        const data = JSON.parse(fieldsOf("data").join("\n") || "null");
        yield { event, data } as ServerEvent;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
