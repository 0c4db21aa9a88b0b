import type { App, Tx } from "../context.ts";
import { theProduct } from "../manifest/current.ts";
import { type Written, writeToOutbox } from "./event.ts";

/** The types of the feed that are no events of an organization. A manifest cannot declare events of these names. */
export const FEED_ONLY_TYPES = [
  "organization.created",
  "organization.deleted",
  "user.updated",
  "user.deleted",
] as const;

/** The types of entries in the feed of the product. */
export const FEED_TYPES = [
  ...FEED_ONLY_TYPES,
  "organization.updated",
  "organization.status_changed",
  "organization.plan_changed",
  "unit.created",
  "unit.updated",
  "unit.deleted",
  "member.created",
  "member.updated",
  "member.deleted",
] as const;

type FeedType = (typeof FEED_ONLY_TYPES)[number] | "organization.plan_changed";

/** Whether a product follows the feed: without one, nothing is written to it. */
export const isFollowed = ({ config }: App): boolean => config.events && theProduct() !== null;

/**
 * Writes a change for the feed of the product in its transaction, if there is a product. Call it only for what is no
 * `event`: the relay copies events to the feed. Call it under the lock of the organization or of the account, so that the entries of
 * each are sorted as its commits.
 */
export async function feedEntry(
  tx: Tx,
  type: FeedType,
  written: Pick<Written, "id" | "previous"> & { organizationId: string | null; object: object },
): Promise<void> {
  if (isFollowed(tx.app))
    await writeToOutbox(tx, type, { ...written, reach: "organization" }, { isFeedOnly: true });
}
