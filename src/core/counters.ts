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
  registrations_total: {
    help: "Accounts by the way in which they were created, and registrations that were closed.",
    labels: {
      path: ["register", "invitation", "provider", "connection"],
      outcome: ["created", "closed"],
    },
  },
  sign_in_alerts_total: {
    help: "Alerts of sign-ins from a new browser or network.",
    labels: {},
  },
  breached_password_checks_total: {
    help: "New passwords looked up among those of data breaches, by outcome; failed ones were accepted.",
    labels: { outcome: ["clear", "listed", "failed"] },
  },
  bot_checks_total: {
    help: "Bot checks by outcome; failed ones were accepted, because the provider did not answer.",
    labels: { outcome: ["passed", "refused", "missing", "failed"] },
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
  oauth_requests_total: {
    help: "Authorization requests of apps by outcome; refused ones had a fault.",
    labels: { outcome: ["shown", "refused", "approved", "denied"] },
  },
  app_requests_total: {
    help: "Requests of connected apps by resource and outcome; limited ones got 429.",
    labels: { resource: ["mcp", "api"], outcome: ["accepted", "refused", "limited"] },
  },
  oauth_documents_total: {
    help: "Documents by which apps describe themselves, by outcome; cached: known already, also that it failed; limited ones got 429.",
    labels: {
      outcome: ["cached", "fetched", "not_allowed", "unreachable", "no_document", "invalid", "limited"],
    },
  },
  oauth_tokens_total: {
    help: "Requests for tokens of connected apps, by what was exchanged and outcome; repeated ones got the same tokens again.",
    labels: {
      grant: ["authorization_code", "refresh_token", "other"],
      outcome: [
        "issued",
        "repeated",
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unsupported_grant_type",
        "invalid_target",
        "invalid_scope",
        "temporarily_unavailable",
        "server_error",
      ],
    },
  },
  mcp_calls_total: {
    help: "Calls of tools by agents, by tool (own: one of the product) and outcome; refused ones got an error of the operation.",
    labels: {
      tool: ["whoami", "search_operations", "read", "write", "own", "unknown"],
      outcome: ["succeeded", "refused", "too_large", "scope_missing", "failed"],
    },
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
      method: ["password", "recovery_code", "passkey", "provider", "connection"],
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
  break_glass_uses_total: {
    help: "Sessions in which a break-glass member acted without the single sign-on that the policy asks for.",
    labels: {},
  },
  sign_on_refusals_total: {
    help: "Refusals of sessions that lack something to act in an organization, by code.",
    labels: { code: ["SSO_REQUIRED", "TWO_FACTOR_REQUIRED", "REAUTHENTICATION_REQUIRED"] },
  },
  joins_total: {
    help: "Joins of organizations by domain, by mode and outcome.",
    labels: { mode: ["request", "automatic"], outcome: ["member", "requested"] },
  },
  domain_checks_total: {
    help: "Checks of the records that prove domains, by outcome.",
    labels: { outcome: ["present", "absent", "unanswered"] },
  },
  sso_sign_ins_total: {
    help: "Sign-ins by connections of organizations, by outcome.",
    labels: {
      outcome: [
        "succeeded",
        "provider_error",
        "sso_disabled",
        "organization_suspended",
        "domain_mismatch",
        "account_not_allowed",
        "email_not_verified",
        "email_unavailable",
        "identity_in_use",
        "not_a_member",
        "plan_limit_reached",
        "too_many_requests",
      ],
    },
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
  webhook_attempt_duration_seconds: {
    help: "Duration of an attempt to deliver an event to a webhook endpoint.",
    labels: {},
  },
  sso_provider_seconds: {
    help: "Duration of a call to the identity provider of an organization.",
    labels: { call: ["metadata", "keys", "token", "userinfo"] },
  },
} as const;

/** The meter of the service. */
export type ServiceMeter = Meter<keyof typeof COUNTERS, keyof typeof DURATIONS>;
