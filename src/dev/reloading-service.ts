import { join } from "node:path";

const ENTRY = join(import.meta.dir, "service.ts");
/** The milliseconds that a reload waits for open requests before it ends them. */
const STOP_MS = 2_000;

/** The service in a child process. */
export type ReloadingService = {
  /** Resolves to true when the service accepts requests, or to false if it could not start. */
  ready(): Promise<boolean>;
  /** Replaces the process by one with the current source code. Resolves like `ready`. */
  reload(): Promise<boolean>;
  stop(): Promise<void>;
};

/**
 * Starts the service with these environment variables. Its output, including errors at startup, goes to the terminal.
 */
export function startReloadingService(env: Record<string, string | undefined>): ReloadingService {
  let { child, isReady } = spawn(env);
  let reloading: Promise<boolean> = isReady;
  return {
    ready: () => reloading,
    reload() {
      // The old process is stopped first, because both would listen on the same port.
      reloading = reloading.then(async () => {
        await end(child);
        ({ child, isReady } = spawn(env));
        return isReady;
      });
      return reloading;
    },
    stop: () => end(child),
  };
}

function spawn(env: Record<string, string | undefined>) {
  const { promise: isReady, resolve } = Promise.withResolvers<boolean>();
  const child = Bun.spawn([process.execPath, ENTRY], {
    env,
    // Standard output has the lines of `bun run dev` alone, of which a program may read the last one.
    stdio: ["ignore", 2, 2],
    // The child has its own process group, so that Ctrl-C reaches only the parent, which stops all parts in order.
    detached: true,
    ipc: () => resolve(true),
    onExit: () => resolve(false),
  });
  return { child, isReady };
}

async function end(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await child.exited;
  clearTimeout(timer);
}
