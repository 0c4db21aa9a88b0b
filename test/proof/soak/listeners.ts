import type { Random } from "../../support/image-mutations.ts";
import type { Client } from "./client.ts";
import type { Fleet } from "./fleet.ts";
import type { Person } from "./people.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/**
 * The timeout for an event of a stream. It is longer than the maximum pause between two attempts of the change feed
 * (rules 17.10).
 */
const SETTLE_MS = 60_000;

/**
 * A browser that reads the notification stream. It disconnects at random times, and reopens the stream whenever the
 * stream ends.
 */
export class Listener {
  /** The latest unread count that the stream has sent. */
  count: number | null = null;
  isOpen = false;
  private disconnects = true;
  private isStopped = false;
  private leave = new AbortController();
  private readonly following: Promise<void>;

  constructor(
    readonly person: Person,
    private readonly client: Client,
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {
    this.following = this.follow();
  }

  /** Stops closing and reopening the stream. */
  settle(): void {
    this.disconnects = false;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.leave.abort();
    await this.following;
  }

  private async follow() {
    while (!this.isStopped) {
      await this.open().catch(() => {});
      this.isOpen = false;
      this.count = null;
      await Bun.sleep(100 + this.random(300));
    }
  }

  private async open() {
    const { person, client } = this;
    const instance = this.random(1_000);
    if (person.token === null) await client.refresh(person, instance);
    this.leave = new AbortController();
    const timer = setTimeout(() => this.disconnects && this.leave.abort(), 300 + this.random(1_500));
    try {
      const httpResponse = await fetch(`${this.fleet.url(instance)}/api/notifications/stream`, {
        headers: { authorization: `Bearer ${person.token}` },
        signal: this.leave.signal,
      });
      if (httpResponse.status === 401) await client.refresh(person, instance);
      else if (httpResponse.status === 429) {
        const request = { method: "GET", path: "/api/notifications/stream" };
        const { status, headers } = httpResponse;
        const response = { status, headers, body: {}, text: "", cookie: undefined };
        client.reportUnexpected(request, response, "a stream is refused although the user has no other one");
        await Bun.sleep(1_000);
      } else if (httpResponse.status === 200) await this.read(httpResponse);
    } finally {
      clearTimeout(timer);
    }
  }

  private async read(httpResponse: Response) {
    this.isOpen = true;
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of httpResponse.body ?? []) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const count = /^event: unread-count\ndata: \{"count":(\d+)\}$/.exec(frame)?.[1];
        if (count !== undefined) this.count = Number(count);
      }
    }
  }
}

/** Waits until all streams show the unread counts of the database. Returns the streams that do not. */
export async function streamViolations(listeners: Listener[], sql: Sql): Promise<string[]> {
  for (const listener of listeners) listener.settle();
  const owners = listeners.map(({ person }) => `'${person.id}'`).join();
  const rows = await sql(`SELECT user_id AS id, count(*)::int FROM notifications
    WHERE user_id IN (${owners}) AND read_at IS NULL AND NOT is_deleted GROUP BY 1`);
  const unread = new Map(rows.map(({ id, count }) => [id, Number(count)]));
  const outdated = () => listeners.filter(({ person, count }) => count !== (unread.get(person.id) ?? 0));
  const until = performance.now() + SETTLE_MS;
  while (outdated().length > 0 && performance.now() < until) await Bun.sleep(100);
  return outdated().map(
    ({ person, count }) =>
      `a stream shows ${count} unread notifications, there are ${unread.get(person.id) ?? 0}`,
  );
}
