/** Notices that the sign-in page can show, for example after a session has ended. */
type Notice = "ended" | "verified" | "reset" | "accepted" | "deleted" | "suspended";

let waiting: Notice | null = null;
let expected: Notice | null = null;

/** Sets the notice to show when the service ends the session; null for the general notice. */
export function expectEnd(notice: Notice | null): void {
  expected = notice;
}

/** Sets the notice for a session that the service has ended: that of `expectEnd`, otherwise the general notice. */
export const announceEnd = () => announce(expected ?? "ended");

/** Sets a notice for the sign-in page. Only the first notice is kept, because later ones are consequences of it. */
export function announce(notice: Notice): void {
  waiting ??= notice;
}

export function takeNotice(): Notice | null {
  const notice = waiting;
  waiting = null;
  return notice;
}
