import { defineError } from "#kit";

export const organizationOverrideNotAllowed = defineError(
  400,
  "ORGANIZATION_OVERRIDE_NOT_ALLOWED",
  "Platform administrators cannot buy or manage a subscription for an organization",
);

export const invalidSignature = defineError(
  400,
  "INVALID_SIGNATURE",
  "The signature does not match the body",
);

export const billingNotConfigured = defineError(409, "BILLING_NOT_CONFIGURED", "Billing is not configured");
