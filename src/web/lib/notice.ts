/** Notices that the sign-in page shows, for example after a session has ended. */
export type Notice = "ended" | "verified" | "reset" | "accepted" | "deleted";

let waiting: Notice | null = null;

/** Leaves a notice for the sign-in page; the first one stays, because what follows from it says less. */
export function announce(notice: Notice): void {
  waiting ??= notice;
}

/** The notice, once. */
export function takeNotice(): Notice | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
