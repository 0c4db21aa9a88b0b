import { z } from "zod";
import { configSection, isProduction, url } from "#kit";
import { missingVariables } from "#kit/inside";
import { isBillingOff } from "../../core/plans/config.ts";

/** The credentials for the payment provider; null if payments are not configured. */
export type PaymentConfig = {
  /** The URL that replaces the payment provider's own API; null to use the provider's. */
  apiUrl: string | null;
  secretKey: string | null;
  webhookSecret: string | null;
};

declare module "../../core/config.ts" {
  interface Config {
    payments: PaymentConfig;
  }
}

const REQUIRED = ["PAYMENT_SECRET_KEY", "PAYMENT_WEBHOOK_SECRET", "PAYMENT_PRICES"];

/** The configuration of payments. */
export const paymentConfig = configSection({
  variables: {
    PAYMENT_API_URL: url(["http:", "https:"]).optional(),
    PAYMENT_SECRET_KEY: z.string().optional(),
    PAYMENT_WEBHOOK_SECRET: z.string().optional(),
  },
  secrets: ["PAYMENT_SECRET_KEY", "PAYMENT_WEBHOOK_SECRET"],
  check: (raw) =>
    !isBillingOff(raw) && (isProduction(raw) || REQUIRED.some((key) => raw[key]))
      ? missingVariables(raw, REQUIRED, "unless BILLING_PLANS_FILE is none")
      : [],
  read: (env): { payments: PaymentConfig } => ({
    payments: {
      apiUrl: env.PAYMENT_API_URL ?? null,
      secretKey: env.PAYMENT_SECRET_KEY ?? null,
      webhookSecret: env.PAYMENT_WEBHOOK_SECRET ?? null,
    },
  }),
});
