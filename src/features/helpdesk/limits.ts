import { HOUR, memoizePerApp, often, Rate, type SignedInCall } from "#kit";
import { accountOf } from "../../core/access/access.ts";

export const LIMITS = {
  tickets: often("20.11", "tickets", "user", 5, HOUR),
  messages: often("20.11", "messages and notes, without the first of a ticket", "user", 30, HOUR),
  // Repeated changes of a ticket must not flood the reporter's inbox.
  ticketMails: often("23.8", "mails to the reporter of a ticket", "ticket", 20, HOUR, { store: "database" }),
};

/** The maximum number of messages and notes of a ticket (rules 20.13). */
export const MAX_MESSAGES = 1_000;

const ratesOf = memoizePerApp(() => ({
  tickets: new Rate(LIMITS.tickets),
  messages: new Rate(LIMITS.messages),
}));

/** An attempt at an action with a limit. Only successful attempts count. */
export interface LimitedAction {
  /** Counts the attempt; repeated calls count it once. @throws tooManyRequests if the limit is reached */
  consume(): void;
  /** Reverses `consume` for an action that failed. */
  refund(): void;
}

/** Begins a caller's attempt to create a ticket or a message (rules 20.11). */
export function beginAction(
  { app, actor }: Pick<SignedInCall, "app" | "actor">,
  kind: "tickets" | "messages",
): LimitedAction {
  const rate = ratesOf(app)[kind];
  let isCounted = false;
  return {
    consume() {
      if (!isCounted) rate.consume(accountOf(actor));
      isCounted = true;
    },
    refund() {
      if (isCounted) rate.refund(accountOf(actor));
      isCounted = false;
    },
  };
}
