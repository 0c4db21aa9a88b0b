import { readdirSync, readlinkSync } from "node:fs";
import { type Instance, spawnInstances } from "../../support/cluster.ts";
import { megabytesOf } from "../../support/processes.ts";
import type { Clocks } from "./clocks.ts";

/** The time until a load balancer notices that an instance is stopping: half of the drain time. */
const NOTICE_MS = 1_000;
/** The timeout of a readiness check: a check takes up to 3 s, and the machine may be busy. */
const NOT_READY_MS = 15_000;

/** The instances of a run. Each can be replaced. */
export class Fleet {
  readonly instances: (Instance | null)[] = [];
  /** Warnings and errors in the logs of instances that have ended. */
  private readonly ended: string[] = [];

  private constructor(
    private readonly variables: Record<string, string | undefined>,
    readonly clocks: Clocks,
  ) {}

  static async start(
    count: number,
    variables: Record<string, string | undefined>,
    clocks: Clocks,
  ): Promise<Fleet> {
    const fleet = new Fleet(variables, clocks);
    const starting = Array.from({ length: count }, (_, index) => fleet.spawn(index));
    fleet.instances.push(...(await Promise.all(starting)));
    return fleet;
  }

  private async spawn(index: number): Promise<Instance | null> {
    const variables = { ...this.variables, ...this.clocks.variables(index) };
    const [instance] = await spawnInstances(1, variables);
    return instance ?? null;
  }

  /** Returns the URL of a running instance, selected by a number. */
  url(number: number): string {
    const running = this.instances.filter((instance) => instance !== null);
    return running[number % running.length]?.url ?? "http://127.0.0.1:9";
  }

  /** Kills an instance as in a crash, or stops it as in a deployment, and starts another one. */
  async replace(index: number, { isCrash }: { isCrash: boolean }): Promise<void> {
    const instance = this.instances[index];
    if (!instance) return;
    const ending = isCrash ? instance.kill() : instance.stop();
    if (!isCrash) await Bun.sleep(NOTICE_MS);
    this.instances[index] = null;
    await ending;
    this.collect(instance);
    this.instances[index] = await this.spawn(index);
  }

  async areReady(): Promise<boolean> {
    const responses = this.instances.map(async (instance) => {
      const url = `${instance?.url}/api/health/ready`;
      return (await fetch(url, { signal: AbortSignal.timeout(NOT_READY_MS) })).status === 200;
    });
    return (await Promise.all(responses).catch(() => [false])).every((isReady) => isReady);
  }

  /**
   * Waits until all instances report that they are alive but not ready. Resolves to a description if one does not
   * in time.
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
        if (performance.now() > end) return `readiness is ${status} while the database is unavailable`;
        await Bun.sleep(100);
      }
    });
    return (await Promise.all(outcomes)).find((outcome) => outcome !== null) ?? null;
  }

  /** Returns the log lines of running instances, and the warnings and errors of ended ones. */
  logged(): string[] {
    return [...this.ended, ...this.instances.flatMap((instance) => instance?.log() ?? [])];
  }

  /** Returns the log lines about a request, except the request line. */
  explain(requestId: string): string {
    return this.logged()
      .filter((line) => line.includes(requestId) && !line.includes('"msg":"request"'))
      .join("; ");
  }

  /** Returns the number of open files and sockets and the resident memory of each running instance. */
  usage(): { files: number; sockets: number; megabytes: number }[] {
    return this.instances.flatMap((instance) => {
      if (instance === null) return [];
      const open = descriptorsOf(instance.pid);
      const sockets = open.filter((target) => target.startsWith("socket:")).length;
      return {
        files: open.length - sockets,
        sockets,
        megabytes: megabytesOf(instance.pid),
      };
    });
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

/** Returns the targets of a process's file descriptors. Leaves out descriptors that are closed meanwhile. */
function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return [];
    }
  });
}
