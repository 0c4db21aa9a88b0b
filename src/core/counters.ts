import type { Meter } from "../platform/meter.ts";
import { MAIL_KINDS } from "./effects/mail-content.ts";

/** What the service counts for its metrics (rules 25.3), with the values of labels that are there from the start. */
export const COUNTERS = {
  mails_total: {
    help: "Mails by what became of an attempt: sent, failed (it is tried again), given_up, or dropped as their link had expired.",
    labels: { kind: MAIL_KINDS, outcome: ["sent", "failed", "given_up", "dropped"] },
  },
  password_hashes_refused_total: {
    help: "Passwords that were not hashed, because too many waited (503) or too many of one account (429).",
    labels: {},
  },
  streams_dropped_total: {
    help: "Streams that the service ended: their token expired, their reader was slow or gone, or the instance stops.",
    labels: { reason: ["expired", "slow", "gone", "stopping"] },
  },
  change_feed_reconnects_total: {
    help: "Times that the LISTEN connection was lost and made anew.",
    labels: {},
  },
  sign_ins_total: {
    help: "Sign-ins by outcome: succeeded, or why not.",
    labels: {
      outcome: [
        "succeeded",
        "unknown_email",
        "wrong_password",
        "email_not_verified",
        "wrong_two_factor_code",
        "account_exists",
        "email_unavailable",
      ],
    },
  },
  refresh_tokens_reused_total: {
    help: "Refresh tokens that came again after they were replaced: all sessions of their users were ended.",
    labels: {},
  },
  webhook_events_total: {
    help: "Events of the payment provider by outcome.",
    labels: { outcome: ["taken", "repeated", "ignored", "refused", "failed"] },
  },
} as const;

/** Where services count. */
export type ServiceMeter = Meter<keyof typeof COUNTERS>;
