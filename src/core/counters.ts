import type { Meter } from "../platform/meter.ts";
import { declared } from "./definitions/features.ts";

/** The counters of the service (rules 25.3), with the label values that are exported from the start. */
export const COUNTERS = {
  mails_total: {
    help: "Attempts to send a mail, by outcome; dropped: the link of the mail was no longer valid.",
    labels: {
      get kind() {
        return Object.keys(declared("mails"));
      },
      outcome: ["sent", "failed", "given_up", "dropped"],
    },
  },
  password_hashes_refused_total: {
    help: "Password hashes refused because too many waited (503) or too many of one account (429).",
    labels: {},
  },
  streams_dropped_total: {
    help: "Streams closed by the service, by reason.",
    labels: { reason: ["expired", "slow", "gone", "stopping"] },
  },
  change_feed_reconnects_total: {
    help: "How often the LISTEN connection was lost.",
    labels: {},
  },
  sign_ins_total: {
    help: "Sign-ins by outcome.",
    labels: {
      outcome: [
        "succeeded",
        "unknown_email",
        "wrong_password",
        "too_many_failures",
        "email_not_verified",
        "wrong_two_factor_code",
        "account_exists",
        "email_unavailable",
        "unknown_passkey",
        "wrong_passkey",
      ],
    },
  },
  api_key_verifications_total: {
    help: "Verifications of API keys by outcome; loaded ones succeeded.",
    labels: {
      outcome: ["loaded", "unknown", "revoked", "expired", "disabled", "address", "malformed"],
    },
  },
  api_keys_limited_total: {
    help: "Requests by API key refused with 429, by limit; address: too many unknown keys from one address.",
    labels: { policy: ["key", "organization", "address"] },
  },
  email_changes_total: {
    help: "Changes of email by outcome; taken: another account got the email first.",
    labels: { outcome: ["requested", "completed", "canceled", "undone", "taken"] },
  },
  passkey_ceremonies_total: {
    help: "Ceremonies with passkeys by purpose and outcome.",
    labels: {
      purpose: ["sign-in", "second-factor", "register", "reauthenticate"],
      outcome: ["succeeded", "failed"],
    },
  },
  reauthentications_total: {
    help: "Re-authentications by method and outcome.",
    labels: {
      method: ["password", "recovery_code", "passkey", "provider"],
      outcome: ["succeeded", "failed"],
    },
  },
  refresh_tokens_reused_total: {
    help: "Reused refresh tokens, each of which ended all sessions of its user.",
    labels: {},
  },
  idempotent_requests_total: {
    help: "Requests with an Idempotency-Key by outcome.",
    labels: { outcome: ["first", "replayed", "in_use", "reused"] },
  },
  events_total: {
    help: "Events that were numbered for other systems.",
    labels: {},
  },
  webhook_attempts_total: {
    help: "Attempts to deliver an event to a webhook endpoint, by outcome.",
    labels: {
      outcome: [
        "succeeded",
        "refused",
        "TIMEOUT",
        "DNS_FAILED",
        "CONNECTION_FAILED",
        "TLS_FAILED",
        "ADDRESS_NOT_ALLOWED",
      ],
    },
  },
  webhook_endpoints_disabled_total: {
    help: "Webhook endpoints that the service disabled, by reason.",
    labels: { reason: ["FAILING", "GONE", "CREATOR_DELETED", "NO_MEMBERS"] },
  },
  product_changes_total: {
    help: "Reports of changes by the product, by outcome.",
    labels: { outcome: ["applied", "limit_reached"] },
  },
  product_requests_total: {
    help: "Requests with the key of the product, by route and status.",
    labels: {
      route: ["/api/product/check", "/api/product/changes", "/api/product/feed"],
      status: ["200"],
    },
  },
  product_checks_total: {
    help: "Checks of callers that the product asked for, by outcome.",
    labels: { outcome: ["active", "INVALID", "EXPIRED", "ENDED", "NOT_A_MEMBER", "SUSPENDED"] },
  },
  webhook_events_total: {
    help: "Webhook events of the payment provider by outcome.",
    labels: { outcome: ["applied", "repeated", "ignored", "refused", "failed"] },
  },
} as const;

/** The histograms of durations in seconds, with their descriptions. */
export const DURATIONS = {
  webhook_attempt_duration_seconds: "Duration of an attempt to deliver an event to a webhook endpoint.",
} as const;

/** The meter of the service. */
export type ServiceMeter = Meter<keyof typeof COUNTERS, keyof typeof DURATIONS>;
