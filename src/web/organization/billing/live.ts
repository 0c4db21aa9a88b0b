import type { Schemas } from "../../../client/index.ts";

const LIVE = new Set(["active", "trialing", "past_due"]);

/** Whether the subscription is live. Others give no plan, and do not renew. */
export const isLive = (subscription: Schemas["Billing"]["subscription"]) =>
  subscription !== null && LIVE.has(subscription.status);
