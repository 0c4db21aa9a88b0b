import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "./caller.ts";
import { until } from "./cluster.ts";

export const EXAMPLES = join(import.meta.dir, "../../examples/inspections");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows which body it expects
  body: any;
};

/** An example product in a process of its own, which can be killed and started again with the same data. */
export class ExampleProduct {
  private child: Bun.Subprocess | null = null;
  private output = "";

  private constructor(
    private readonly command: string[],
    private readonly environment: Record<string, string>,
    readonly url: string,
  ) {}

  /** Starts a product; it ends after the test file. */
  static async start(command: string[], environment: Record<string, string>): Promise<ExampleProduct> {
    const folder = mkdtempSync(join(tmpdir(), "inspections-"));
    const port = await freePort();
    const own = { PATH: process.env.PATH ?? "", PORT: String(port), DATA: join(folder, "inspections.db") };
    const product = new ExampleProduct(
      command,
      { ...own, ...environment },
      `http://127.0.0.1:${port}/inspections`,
    );
    afterAll(async () => {
      await product.kill();
      rmSync(folder, { recursive: true });
    });
    await product.restart();
    return product;
  }

  async restart(): Promise<void> {
    const { environment: env, command } = this;
    const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    this.child = child;
    void this.collect(child.stdout);
    void this.collect(child.stderr);
    // Without a cursor, the product begins at the end of the feed: later changes are in it.
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`The product ended: ${this.output}`);
      const page = await fetch(`${this.url}/`).catch(() => null);
      return page?.status === 200 && this.count("SELECT count(*) AS n FROM feed") === 1 ? true : null;
    });
  }

  private async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) this.output += new TextDecoder().decode(chunk);
  }

  /** Sends SIGKILL: what the product was doing is not finished. */
  async kill(): Promise<void> {
    this.child?.kill("SIGKILL");
    await this.child?.exited;
  }

  /** Calls the API of the product with the token of a person, or with another one. */
  async send(who: Caller | string | null, method: string, path = "", body?: object): Promise<Answer> {
    const token = who === null || typeof who === "string" ? who : who.accessToken;
    const response = await fetch(`${this.url}/api/inspections${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Counts the records that the product stores of an organization. */
  records(organizationId: string): number {
    return this.count("SELECT count(*) AS n FROM inspections WHERE organization_id = ?", organizationId);
  }

  private count(statement: string, ...values: string[]): number {
    using database = new Database(this.environment.DATA);
    return (database.query(statement).get(...values) as { n: number }).n;
  }

  /** Waits until the record that this person reads fulfils a condition. */
  until(who: Caller, id: string, isExpected: (answer: Answer) => boolean): Promise<Answer> {
    return until(async () => {
      const answer = await this.send(who, "GET", `/${id}`);
      return isExpected(answer) ? answer : null;
    });
  }
}
