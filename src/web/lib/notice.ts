/** Notices that the sign-in page can show, for example after a session has ended. */
export type Notice = "ended" | "verified" | "reset" | "accepted" | "deleted";

let waiting: Notice | null = null;

/** Sets a notice for the sign-in page. The first one wins, because later ones are consequences of it. */
export function announce(notice: Notice): void {
  waiting ??= notice;
}

/** Returns the notice and clears it. */
export function takeNotice(): Notice | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
