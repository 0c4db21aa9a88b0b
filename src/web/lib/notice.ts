/** Notices that the sign-in page can show, for example after a session has ended. */
export type Notice = "ended" | "verified" | "reset" | "accepted" | "deleted";

let waiting: Notice | null = null;

/** Sets a notice for the sign-in page. Only the first notice is kept, because later ones are consequences of it. */
export function announce(notice: Notice): void {
  waiting ??= notice;
}

/** Returns the notice for the sign-in page and clears it. */
export function takeNotice(): Notice | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
