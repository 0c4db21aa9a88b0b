/** Whether an error is one of the browser's dialog for passkeys: the user closed it, or it took too long. */
export const isUnused = (error: unknown): boolean =>
  error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
