import { declaredOf } from "../../lib/features.ts";
import type { IconName } from "../../lib/icons.tsx";
import type { Event, TargetType } from "./names.ts";

const ICONS: Partial<Record<TargetType, IconName>> = {
  user: "people",
  invitation: "mail",
  organization: "building",
  unit: "units",
  role: "shield",
  ticket: "ticket",
  session: "clock",
  service_account: "robot",
  api_key: "key",
  passkey: "key",
  webhook_endpoint: "webhook",
  domain: "building",
  connection: "shield",
  setup_link: "mail",
  connected_app: "robot",
  oauth_client: "robot",
  approved_app: "robot",
};
const SECURITY = /^(LOGIN|PASSWORD|TWO_FACTOR|REAUTHENTICATED|REFRESH_TOKEN|SIGN_IN_METHOD|PLATFORM_ADMIN)/;
const BAD = /(DELETED|REMOVED|REVOKED|FAILED|REFUSED|BLOCKED|REUSED|DISABLED)$/;

export function iconOf({ action, targetType, product }: Event): IconName {
  if (product) return "list";
  if (SECURITY.test(action)) return "shield";
  if (action === "AUDIT_EVENTS_EXPORTED") return "list";
  if (action === "SUBSCRIPTION_CHANGED" || action === "ORGANIZATION_PLAN_CHANGED") return "card";
  if (targetType === null) return "list";
  return ICONS[targetType] ?? declaredOf("targets", targetType) ?? "list";
}

/** Returns the tone of an event's icon: events that end or refuse something are marked. */
export const toneOf = ({ action }: Event): "bad" | "info" => (BAD.test(action) ? "bad" : "info");
