/** Returns the given port, or the next one that is free. */
export async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 50; port += 1) {
    try {
      await Bun.listen({ hostname: "0.0.0.0", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      if (port > wanted) continue;
      console.warn(`Port ${port} is in use, trying the next.`);
    }
  }
  throw new Error(`No free port from ${wanted} on`);
}
