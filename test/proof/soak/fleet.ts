import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type Instance, spawnInstances } from "../../support/cluster.ts";
import type { Clocks } from "./clocks.ts";

/** Half of the drain. */
const NOTICED_MS = 1_000;
/** Checks take up to 3 s, and the machine may be busy. */
const NOT_READY_MS = 15_000;

/** Instances that are killed and started again, each at its place. */
export class Fleet {
  readonly instances: (Instance | null)[] = [];
  /** Warnings and errors that ended instances have logged. */
  private readonly ended: string[] = [];

  private constructor(
    private environment: Record<string, string | undefined>,
    readonly clocks: Clocks,
  ) {}

  static async start(
    count: number,
    environment: Record<string, string | undefined>,
    clocks: Clocks,
  ): Promise<Fleet> {
    const fleet = new Fleet(environment, clocks);
    const starting = Array.from({ length: count }, (_, index) => fleet.spawn(index));
    fleet.instances.push(...(await Promise.all(starting)));
    return fleet;
  }

  private async spawn(index: number): Promise<Instance | null> {
    const environment = { ...this.environment, ...this.clocks.environment(index) };
    const [instance] = await spawnInstances(1, environment);
    return instance ?? null;
  }

  /** The address of an instance that runs, chosen by a number. */
  url(number: number): string {
    const running = this.instances.filter((instance) => instance !== null);
    return running[number % running.length]?.url ?? "http://127.0.0.1:9";
  }

  /** Kills an instance as a crash does, or stops it as a deployment does, and starts another. */
  async replace(index: number, { isCrash }: { isCrash: boolean }): Promise<void> {
    const instance = this.instances[index];
    if (!instance) return;
    const ending = isCrash ? instance.kill() : instance.stop();
    // A load balancer takes a while to notice, and the drain is for that.
    if (!isCrash) await Bun.sleep(NOTICED_MS);
    this.instances[index] = null;
    await ending;
    this.collect(instance);
    this.instances[index] = await this.spawn(index);
  }

  async areReady(): Promise<boolean> {
    const answers = this.instances.map(async (instance) => {
      const url = `${instance?.url}/api/health/ready`;
      return (await fetch(url, { signal: AbortSignal.timeout(NOT_READY_MS) })).status === 200;
    });
    return (await Promise.all(answers).catch(() => [false])).every((isReady) => isReady);
  }

  /**
   * Waits until every instance says that it is not ready, as each must soon once the database is away, and is alive all the
   * same; resolves to what is wrong.
   */
  async untilNoneIsReady(): Promise<string | null> {
    const ask = async (url: string, path: string) =>
      (await fetch(`${url}/api/health/${path}`, { signal: AbortSignal.timeout(NOT_READY_MS) })).status;
    const outcomes = this.instances.map(async (instance) => {
      if (instance === null) return null;
      const end = performance.now() + NOT_READY_MS;
      for (;;) {
        const status = await ask(instance.url, "ready").catch(() => 0);
        if (status === 503 && (await ask(instance.url, "live").catch(() => 0)) === 200) return null;
        if (performance.now() > end) return `readiness is ${status} while the database is away`;
        await Bun.sleep(100);
      }
    });
    return (await Promise.all(outcomes)).find((outcome) => outcome !== null) ?? null;
  }

  /** Everything that running instances have logged, and the warnings and errors of those that ended. */
  logged(): string[] {
    return [...this.ended, ...this.instances.flatMap((instance) => instance?.log() ?? [])];
  }

  /** What the instances logged about a request, beside the request itself. */
  explain(requestId: string): string {
    return this.logged()
      .filter((line) => line.includes(requestId) && !line.includes('"msg":"request"'))
      .join("; ");
  }

  /** Starts every instance anew, one after the other, with a changed configuration. */
  async roll(change: Record<string, string>): Promise<void> {
    this.environment = { ...this.environment, ...change };
    for (const index of this.instances.keys()) await this.replace(index, { isCrash: false });
  }

  /** Open files, connections of all kinds, and resident memory of each running instance. */
  use(): { files: number; sockets: number; megabytes: number }[] {
    return this.instances.flatMap((instance) => {
      if (instance === null) return [];
      const open = openedBy(instance.pid);
      const sockets = open.filter((target) => target.startsWith("socket:")).length;
      return {
        files: open.length - sockets,
        sockets,
        megabytes: this.megabytesOf(instance.pid),
      };
    });
  }

  megabytesOf(pid: number): number {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    for (const instance of this.instances) {
      await instance?.stop();
      if (instance) this.collect(instance);
    }
  }

  private collect(instance: Instance) {
    this.ended.push(...instance.log().filter((line) => /"level":"(warn|error|fatal)"/.test(line)));
  }
}

/** What the descriptors of a process lead to; one may be closed while they are listed. */
function openedBy(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return [];
    }
  });
}
