import { endpoint, reply } from "../http/endpoint.ts";
import { unauthenticated } from "../http/errors.ts";
import { getBilling } from "./read.ts";
import { Billing } from "./schemas.ts";

export const billingEndpoints = [
  endpoint(
    {
      operationId: "getBilling",
      method: "get",
      path: "/api/organization/billing",
      tag: "billing",
      summary: "Read the plan, its usage and what could be bought",
      description: "Names are in the caller's language.",
      access: { permission: "Billing.Read" },
      answers: { 200: { description: "The plan", schema: Billing } },
      refusals: [unauthenticated],
    },
    async (call) => reply(200, await getBilling(call)),
  ),
];
