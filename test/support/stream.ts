import { z } from "zod";
import { NotificationStreamEvent } from "../../src/features/notifications/stream-events.ts";
import type { Caller } from "./caller.ts";
import { until } from "./cluster.ts";
import { strict } from "./document.ts";

/** A received event with its data, or a comment. */
export type StreamEvent = { event: string; data: unknown };

/** An event stream of notifications, read in the background. */
export class Stream {
  readonly events: StreamEvent[] = [];
  isOver = false;
  /** Whether the connection broke instead of ending normally. */
  isAborted = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  /** Opens a stream with an Authorization header; `response` has its status. */
  static async open(person: Caller, url = person.url): Promise<Stream> {
    const abort = new AbortController();
    const response = await fetch(`${url}/api/notifications/stream`, {
      headers: { authorization: `Bearer ${person.accessToken}` },
      signal: abort.signal,
    });
    const stream = new Stream(response, abort);
    void stream.follow();
    return stream;
  }

  private async follow() {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const bytes of this.response.body ?? []) {
        const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
        rest = frames.pop() ?? "";
        this.events.push(...frames.map(parse));
      }
    } catch (failure) {
      if (failure instanceof z.ZodError) throw failure;
      this.isAborted = true;
    }
    this.isOver = true;
  }

  /** Returns the data of the received events of one type. */
  dataOf = (event: string): unknown[] =>
    this.events.filter((one) => one.event === event).map(({ data }) => data);

  /** Waits until the last received unread count has this value. */
  untilCount = (count: number) =>
    until(() => ((this.dataOf("unread-count").at(-1) as { count: number })?.count === count ? true : null));

  untilOver = (options?: { seconds: number }) => until(() => (this.isOver ? true : null), options);

  /** Disconnects without notice, as a browser does. */
  close() {
    this.abort.abort();
  }
}

/** Throws for an event that the OpenAPI document does not describe. */
const checkEvent = strict(NotificationStreamEvent) as z.ZodType<StreamEvent>;

function parse(frame: string): StreamEvent {
  if (frame.startsWith(":")) return { event: "comment", data: frame.slice(1).trim() };
  const fields = new Map(frame.split("\n").map((line) => line.split(": ", 2) as [string, string]));
  const event = { event: fields.get("event") ?? "message", data: JSON.parse(fields.get("data") ?? "null") };
  return checkEvent.parse(event);
}
