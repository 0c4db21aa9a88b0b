import { defineError } from "../../platform/errors.ts";

export const organizationOverrideNotAllowed = defineError(
  400,
  "ORGANIZATION_OVERRIDE_NOT_ALLOWED",
  "An organization buys for itself",
);

export const invalidSignature = defineError(400, "INVALID_SIGNATURE", "The signature does not fit the body");

export const billingNotConfigured = defineError(409, "BILLING_NOT_CONFIGURED", "Billing is not configured");
