import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

const plans = [
  { key: "free", limits: {}, features: ["audit"], paid: false },
  { key: "pro", limits: {}, features: ["audit", "inspectionReports"], paid: false },
];
const { t } = await startProduct({ BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "free" }) });
const { t: withoutPlans } = await startProduct();

const featuresOf = async (caller: Caller) =>
  expectStatus(await caller.get("/api/auth/organizations"), 200).body[0].features;

test("a member reads which features of the product the plan of the organization includes; all without plans", async () => {
  const org = await createOrganization(t);
  const member = await org.member();
  expect(await featuresOf(member)).toEqual([]);
  await setPlanOverride(await t.platformAdmin(), org, "pro");
  expect(await featuresOf(member)).toEqual(["inspectionReports"]);
  expect(await featuresOf((await createOrganization(withoutPlans)).admin)).toEqual(["inspectionReports"]);
});
