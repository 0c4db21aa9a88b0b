import type { Product } from "./schema.ts";

/** The first segments of the paths of API and console (src/web), which the origin of the service has. */
export const SERVICE_SEGMENTS: ReadonlySet<string> = new Set([
  ...["api", ".well-known", "assets", "audit", "auth", "billing", "events", "helpdesk", "invitations"],
  ...["members", "new-organization", "notifications", "organization", "platform", "profile", "roles"],
  ...["service-accounts", "settings", "support", "todos", "two-factor", "units", "webhooks"],
  ...["sign-in", "register", "forgot-password", "verify-email", "reset-password", "accept-invitation"],
  ...["confirm-email-change", "cancel-email-change", "undo-email-change", "sign-on-setup", "sso"],
  ...["authorize", "docs", "mcp"],
]);

/**
 * Returns why the product cannot have the origin of the service, as it has in development; null if it can. On a host of its
 * own every path is fine, so this is no fault of the manifest.
 */
export function urlConflict({ url }: Pick<Product, "url">): string | null {
  const { pathname } = new URL(url);
  const segment = pathname.split("/")[1] ?? "";
  if (segment === "") return "url has no path of its own, such as /inspections";
  return SERVICE_SEGMENTS.has(segment.toLowerCase()) ? `url has a path of the service: /${segment}` : null;
}
