/** The error for a service that cannot start, with the reason in a sentence for the operator. */
export class StartError extends Error {}

/**
 * Opens a listener.
 * @throws StartError if its address cannot be used
 */
export function listening<T>(
  variable: string,
  { host, port }: { host: string; port: number },
  open: () => T,
): T {
  try {
    return open();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE")
      throw new StartError(`${variable}: port ${port} of ${host} is in use by another process`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL")
      throw new StartError(`${variable}: port ${port} of ${host} cannot be opened (${code})`);
    throw error;
  }
}
