import type { Random } from "../../support/image-mutations.ts";
import type { Client } from "./client.ts";
import { cutFeed } from "./faults.ts";
import type { Fleet } from "./fleet.ts";
import type { Person } from "./people.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/** The longest pause between two attempts of the change feed (rules 17.10), and then some. */
const SETTLE_MS = 60_000;

/** A browser that follows its notifications live; it opens the stream again whenever that ends, and leaves without a word. */
export class Listener {
  /** The last count that the stream told. */
  count: number | null = null;
  isOpen = false;
  private isRestless = true;
  private isOver = false;
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

  /** From now on it stays. */
  settle(): void {
    this.isRestless = false;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.leave.abort();
    await this.following;
  }

  private async follow() {
    while (!this.isOver) {
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
    const timer = setTimeout(() => this.isRestless && this.leave.abort(), 300 + this.random(1_500));
    try {
      const response = await fetch(`${this.fleet.url(instance)}/api/notifications/stream`, {
        headers: { authorization: `Bearer ${person.token}` },
        signal: this.leave.signal,
      });
      if (response.status === 401) await client.refresh(person, instance);
      else if (response.status === 429) {
        const request = { method: "GET", path: "/api/notifications/stream" };
        const answer = { status: response.status, body: {}, requestId: "", text: "" };
        client.complain(request, answer, "a stream is refused to somebody who has one at a time");
        await Bun.sleep(1_000);
      } else if (response.status === 200) await this.read(response);
    } finally {
      clearTimeout(timer);
    }
  }

  private async read(response: Response) {
    this.isOpen = true;
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const count = /^event: unread-count\ndata: \{"count":(\d+)\}$/.exec(frame)?.[1];
        if (count !== undefined) this.count = Number(count);
      }
    }
  }
}

/**
 * Loses the change feed of all instances, changes what everybody listens to meanwhile, and waits until everybody was told.
 * Returns who was not.
 */
export async function feedViolations(listeners: Listener[], client: Client, sql: Sql): Promise<string[]> {
  for (const listener of listeners) listener.settle();
  const end = performance.now() + SETTLE_MS;
  while (listeners.some(({ count }) => count === null) && performance.now() < end) await Bun.sleep(100);
  await cutFeed(sql);
  let isChanged = false;
  const changing = listeners.map(({ person }, index) =>
    client.send(person, index, { method: "POST", path: "/api/notifications/test" }, [201, 429]),
  );
  void Promise.all(changing).then(() => {
    isChanged = true;
  });
  while (!isChanged) {
    await Bun.sleep(100);
    await cutFeed(sql);
  }
  const owners = listeners.map(({ person }) => `'${person.id}'`).join();
  const rows = await sql(`SELECT user_id AS id, count(*)::int FROM notifications
    WHERE user_id IN (${owners}) AND read_at IS NULL AND NOT is_deleted GROUP BY 1`);
  const unread = new Map(rows.map(({ id, count }) => [id, Number(count)]));
  const untold = () => listeners.filter(({ person, count }) => count !== (unread.get(person.id) ?? 0));
  const until = performance.now() + SETTLE_MS;
  while (untold().length > 0 && performance.now() < until) await Bun.sleep(100);
  return untold().map(
    ({ person, count }) =>
      `a stream tells ${count} unread notifications, there are ${unread.get(person.id) ?? 0}`,
  );
}
