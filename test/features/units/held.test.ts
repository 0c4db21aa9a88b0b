import { afterEach, expect, test } from "bun:test";
import { documentOrder } from "../../../src/app/document-order.ts";
import { features } from "../../../src/app/features.ts";
import type { Feature } from "../../../src/core/api/feature.ts";
import { compose } from "../../../src/core/definitions/features.ts";
import { unitNotEmpty } from "../../../src/features/units/errors.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { sharedService } from "../../support/service.ts";

const t = await sharedService();
/** Adds a feature of a product to those of the service. */
const all: readonly Feature[] = features;
const withFeature = (feature: Feature) => compose([...all, feature], documentOrder);
afterEach(() => compose(all, documentOrder));

test("a unit with records of a feature that holds it is not deleted; without them the feature learns of its end", async () => {
  const org = await createOrganization(t);
  const [used, free] = [await org.unit("Used"), await org.unit("Free")];
  const ended: string[] = [];
  withFeature({
    holds: { unit: async (_, id) => id === used },
    ends: { unit: async (_, id) => void ended.push(id) },
  });
  expect(outcome(await org.admin.delete(`/api/units/${used}`))).toBe("409 UNIT_NOT_EMPTY");
  expect(outcome(await org.admin.delete(`/api/units/${free}`))).toBe("204");
  expect(ended).toEqual([free]);
});

test("a feature learns of the end of memberships, accounts and organizations, in their transactions", async () => {
  const org = await createOrganization(t);
  const [removed, deleted] = [await org.member(), await org.member()];
  const root = await t.platformAdmin();
  const ended: string[] = [];
  withFeature({
    ends: {
      memberships: async (_, { organizationIds, userId }) =>
        void ended.push(`member ${userId} of ${organizationIds}`),
      user: async (_, id) => void ended.push(`user ${id}`),
      organization: async (_, id) => void ended.push(`organization ${id}`),
    },
  });
  expect(outcome(await org.admin.delete(`/api/members/${idOf(removed)}`))).toBe("204");
  expect(outcome(await root.delete(`/api/users/${idOf(deleted)}`))).toBe("204");
  expect(outcome(await root.delete(`/api/organizations/${org.id}`))).toBe("204");
  expect(ended).toEqual([
    `member ${idOf(removed)} of ${org.id}`,
    `member ${idOf(deleted)} of ${org.id}`,
    `user ${idOf(deleted)}`,
    `organization ${org.id}`,
  ]);
});

test("if a feature refuses an end, nothing ends", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Kept");
  withFeature({
    ends: {
      unit: async () => {
        throw unitNotEmpty();
      },
    },
  });
  expect(outcome(await org.admin.delete(`/api/units/${unit}`))).toBe("409 UNIT_NOT_EMPTY");
  expect(outcome(await org.admin.patch(`/api/units/${unit}`, { name: "Still here" }))).toBe("200");
});
