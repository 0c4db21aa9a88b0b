import type { Schemas } from "../../client/index.ts";
import { deviceOf } from "../lib/device.ts";
import { declaredOf } from "../lib/features.ts";
import { filled } from "../lib/filled.ts";
import { useFormat } from "../lib/format.ts";
import { useLanguage } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import * as el from "../texts/el/notifications.ts";
import * as en from "../texts/en/notifications.ts";

export type Notification = Schemas["Notification"];
type Data = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<keyof typeof en.notificationTexts, string>>;

/** The texts have values of the data, as those that areas declare; they are no functions. */
const TEXTS = { en: en.notificationTexts, el: el.notificationTexts };

/** Returns a function that describes a notification in the current language. Unknown types get a general sentence. */
export function useNotificationText(): (notification: Notification) => string {
  const { language } = useLanguage();
  const texts: Texts = TEXTS[language];
  const { list, number } = useFormat();
  const roleName = useRoleName();

  function rolesIn(text: string, entries: readonly Schemas["RoleEntry"][] = []): string {
    const roles = entries.map(({ roleName: name, unitName }) =>
      unitName == null ? roleName(name) : filled(texts.inUnit, { role: roleName(name), unit: unitName }),
    );
    return roles.length === 0 ? "" : filled(text, { roles: list(roles) });
  }
  /** Returns the values of a text that are not in the data as they are shown. */
  function shownValues({ type, data }: Notification): Data {
    switch (type) {
      case "NEW_SIGN_IN": {
        const { browser, system } = deviceOf(data.userAgent ?? null) ?? {};
        return { device: [browser, system].filter(Boolean).join(", ") || texts.unknownDevice };
      }
      case "SIGN_IN_METHOD_ADDED":
      case "SIGN_IN_METHOD_REMOVED":
        // Passkey and password stand in the field for providers.
        return data.provider === "passkey" || data.provider === "password"
          ? { provider: texts[data.provider] }
          : {};
      case "TWO_FACTOR_RECOVERY_CODE_USED":
        return { remaining: number(data.remaining) };
      case "HELPDESK_TICKET_CREATED":
      case "HELPDESK_REPORTER_REPLIED":
      case "HELPDESK_STAFF_REPLIED":
        return { number: number(data.number) };
      case "HELPDESK_STATUS_CHANGED":
        return { number: number(data.number), status: texts[data.status] };
      case "SIGN_ON_ANNOUNCED":
        return { day: data.enforceFrom.slice(0, 10) };
      case "ROLES_CHANGED":
        return { added: rolesIn(texts.added, data.added), removed: rolesIn(texts.removed, data.removed) };
      default:
        return {};
    }
  }
  return (notification) => {
    if (notification.text) return notification.text[language];
    const { type } = notification;
    const own: string | undefined = texts[keyOf(notification)];
    const text = own ?? declaredOf("notifications", type)?.text[language] ?? texts.unknown;
    return filled(text, { ...notification.data, ...shownValues(notification) });
  };
}

function keyOf({ type, data }: Notification) {
  if (type === "PASSWORD_CHANGED" && data.via === "reset") return "PASSWORD_RESET";
  if (type === "TWO_FACTOR_DISABLED" && data.via === "admin") return "TWO_FACTOR_DISABLED_BY_ADMIN";
  return type;
}

const [SECURITY, SIGN_ON, APPS] = ["/profile/security", "/settings/sign-on", "/profile/apps"];

/** The pages that notifications open, by their type, with values of their data. */
const PAGES: Partial<Record<string, string>> = {
  INVITATION_ACCEPTED: "/members/{userId}",
  WEBHOOK_ENDPOINT_FAILING: "/webhooks/{endpointId}",
  WEBHOOK_ENDPOINT_DISABLED: "/webhooks/{endpointId}",
  JOIN_REQUESTED: "/members/join-requests",
  CONNECTION_FAILING: SIGN_ON,
  CONNECTION_SECRET_EXPIRING: SIGN_ON,
  SIGN_ON_SETUP_FINISHED: SIGN_ON,
  DOMAIN_MISSING: SIGN_ON,
  DOMAIN_LAPSED: SIGN_ON,
  BREAK_GLASS_USED: SIGN_ON,
  BREAK_GLASS_UNUSABLE: SIGN_ON,
  API_KEY_EXPIRING: "/service-accounts/{serviceAccountId}",
  API_KEY_REPORTED: "/service-accounts/{serviceAccountId}",
  HELPDESK_TICKET_CREATED: "/helpdesk/tickets/{ticketId}",
  HELPDESK_REPORTER_REPLIED: "/helpdesk/tickets/{ticketId}",
  HELPDESK_STAFF_REPLIED: "/support/tickets/{ticketId}",
  HELPDESK_STATUS_CHANGED: "/support/tickets/{ticketId}",
  NEW_SIGN_IN: "/profile/sessions",
  CONNECTED_APP_APPROVED: APPS,
  CONNECTED_APP_TOKEN_REUSED: APPS,
  CONNECTED_APP_REVOKED: APPS,
  SIGN_ON_ANNOUNCED: SECURITY,
  PASSWORD_CHANGED: SECURITY,
  TWO_FACTOR_ENABLED: SECURITY,
  TWO_FACTOR_DISABLED: SECURITY,
  TWO_FACTOR_RECOVERY_CODE_USED: SECURITY,
  SIGN_IN_METHOD_ADDED: SECURITY,
  SIGN_IN_METHOD_REMOVED: SECURITY,
};

/** Returns the path of the page to open for a notification, an absolute address of the product, or null if there is no page. */
export function pageOf({ type, data, text, link }: Notification): string | null {
  if (text) return link;
  const page = PAGES[type] ?? declaredOf("notifications", type)?.page;
  if (page === undefined) return null;
  // A ticket without an organization is handled by platform administrators.
  const ofPlatform = "organizationId" in data && data.organizationId === null;
  return filled(ofPlatform ? page.replace("/helpdesk/", "/platform/") : page, data, encodeURIComponent);
}

/**
 * Returns the organization in which the page of a notification is, or null if it is in none, as the user's own apps. The data
 * of the product are its own.
 */
export const organizationOf = ({ type, data, text }: Notification): string | null =>
  !text && "organizationId" in data && !type.startsWith("CONNECTED_APP_")
    ? (data.organizationId ?? null)
    : null;
