import type { Schemas } from "../../client/index.ts";
import { deviceOf } from "../lib/device.ts";
import { declaredOf } from "../lib/features.ts";
import { filled } from "../lib/filled.ts";
import { useFormat } from "../lib/format.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import { notificationTexts } from "./notification-texts.ts";

export type Notification = Schemas["Notification"];
/** Makes all fields of the data optional: fields that were added later are missing in older notifications. */
type Tolerant<T> = T extends { type: infer Type; data: infer Data }
  ? { type: Type; data: { [Key in keyof Data]?: Data[Key] | undefined } }
  : never;
/** A notification that an area declares, or that this build does not know. */
type Declared = { type: string; data: Readonly<Record<string, unknown>> };
type RoleEntry = Schemas["RoleEntry"];

/** Returns a function that describes a notification in the current language. Unknown types get a general sentence. */
export function useNotificationText(): (notification: Notification) => string {
  const texts = useTexts(notificationTexts);
  const { language } = useLanguage();
  const { list, number } = useFormat();
  const roleName = useRoleName();

  const rolesOf = (entries: readonly RoleEntry[] = []) =>
    list(
      entries.map(({ roleName: name, unitName }) =>
        unitName == null ? roleName(name) : texts.inUnit(roleName(name), unitName),
      ),
    );
  const about = ({ number: of, subject = "" }: { number?: number; subject?: string }) =>
    [of === undefined ? "" : number(of), subject] as const;

  /** Passkey and password stand in the field for providers. */
  const methodName = (key: string) => (key === "passkey" || key === "password" ? texts[key] : key);

  return (notification) => {
    if (notification.text) return notification.text[language];
    const { type, data } = notification as Tolerant<Notification>;
    switch (type) {
      case "PASSWORD_CHANGED":
        return data.via === "reset" ? texts.PASSWORD_RESET : texts.PASSWORD_CHANGED;
      case "TWO_FACTOR_DISABLED":
        return data.via === "admin" ? texts.TWO_FACTOR_DISABLED_BY_ADMIN : texts.TWO_FACTOR_DISABLED;
      case "TWO_FACTOR_RECOVERY_CODE_USED":
        return texts.TWO_FACTOR_RECOVERY_CODE_USED(number(data.remaining ?? 0));
      case "SIGN_IN_METHOD_ADDED":
      case "SIGN_IN_METHOD_REMOVED":
        return texts[type](methodName(data.provider ?? ""));
      case "EMAIL_CHANGE_REQUESTED":
      case "EMAIL_CHANGED":
        return texts[type](data.to ?? "");
      case "PASSKEY_BLOCKED":
        return texts[type](data.name ?? "");
      case "NEW_SIGN_IN": {
        const { browser, system } = deviceOf(data.userAgent ?? null) ?? {};
        const device = [browser, system].filter(Boolean).join(", ") || texts.unknownDevice;
        return texts.NEW_SIGN_IN(device, data.ip ?? "");
      }
      case "INVITATION_ACCEPTED":
        return texts.INVITATION_ACCEPTED(data.email ?? "");
      case "HELPDESK_TICKET_CREATED":
      case "HELPDESK_REPORTER_REPLIED":
      case "HELPDESK_STAFF_REPLIED":
        return texts[type](...about(data));
      case "HELPDESK_STATUS_CHANGED": {
        const [of, subject] = about(data);
        return texts.HELPDESK_STATUS_CHANGED(of, data.status ? texts[data.status] : "", subject);
      }
      case "ROLES_CHANGED": {
        const parts = [
          texts.ROLES_CHANGED,
          data.added?.length ? texts.added(rolesOf(data.added)) : "",
          data.removed?.length ? texts.removed(rolesOf(data.removed)) : "",
        ];
        return parts.filter(Boolean).join(" ");
      }
      case "WEBHOOK_ENDPOINT_FAILING":
      case "WEBHOOK_ENDPOINT_DISABLED":
        return texts[type](data.host ?? "");
      case "SIGN_ON_ANNOUNCED":
        return texts[type]((data.enforceFrom ?? "").slice(0, 10));
      case "JOIN_REQUESTED":
        return texts[type](String(data.count ?? 1));
      case "BREAK_GLASS_USED":
        return texts[type](data.email ?? "");
      case "CONNECTION_FAILING":
      case "CONNECTION_SECRET_EXPIRING":
        return texts[type](data.name ?? "");
      case "SIGN_ON_SETUP_FINISHED":
        return texts[type](data.email ?? "");
      case "DOMAIN_MISSING":
      case "DOMAIN_LAPSED":
        return texts[type](data.domain ?? "");
      case "API_KEY_EXPIRING":
      case "API_KEY_REPORTED":
        return texts[type](data.name ?? "", data.start ?? "");
      case "CONNECTED_APP_APPROVED":
      case "CONNECTED_APP_TOKEN_REUSED":
      case "CONNECTED_APP_REVOKED":
        return texts[type](data.clientName ?? "");
      case "WELCOME":
      case "JOIN_APPROVED":
      case "BREAK_GLASS_UNUSABLE":
      case "TWO_FACTOR_ENABLED":
      case "TEST":
        return texts[type];
      default: {
        const { type, data } = notification as Declared;
        const declared = declaredOf("notifications", type);
        return declared === undefined ? texts.unknown : filled(declared.text[language], data);
      }
    }
  };
}

/** Returns the path of the page to open for a notification, an absolute address of the product, or null if there is no page. */
export function pageOf(notification: Notification): string | null {
  if (notification.text) return notification.link;
  const { type, data } = notification as Tolerant<Notification>;
  switch (type) {
    case "INVITATION_ACCEPTED":
      return data.userId ? `/members/${data.userId}` : null;
    case "WEBHOOK_ENDPOINT_FAILING":
    case "WEBHOOK_ENDPOINT_DISABLED":
      return `/webhooks/${data.endpointId}`;
    case "CONNECTION_FAILING":
    case "CONNECTION_SECRET_EXPIRING":
    case "SIGN_ON_SETUP_FINISHED":
    case "JOIN_REQUESTED":
      return "/members/join-requests";
    case "DOMAIN_MISSING":
    case "DOMAIN_LAPSED":
    case "BREAK_GLASS_USED":
    case "BREAK_GLASS_UNUSABLE":
      return "/settings/sign-on";
    case "API_KEY_EXPIRING":
    case "API_KEY_REPORTED":
      return `/service-accounts/${data.serviceAccountId}`;
    case "HELPDESK_TICKET_CREATED":
    case "HELPDESK_REPORTER_REPLIED":
      // A ticket without an organization is handled by platform administrators.
      return `/${data.organizationId ? "helpdesk" : "platform"}/tickets/${data.ticketId}`;
    case "HELPDESK_STAFF_REPLIED":
    case "HELPDESK_STATUS_CHANGED":
      return `/support/tickets/${data.ticketId}`;
    case "NEW_SIGN_IN":
      return "/profile/sessions";
    case "CONNECTED_APP_APPROVED":
    case "CONNECTED_APP_TOKEN_REUSED":
    case "CONNECTED_APP_REVOKED":
      return "/profile/apps";
    case "SIGN_ON_ANNOUNCED":
    case "PASSWORD_CHANGED":
    case "TWO_FACTOR_ENABLED":
    case "TWO_FACTOR_DISABLED":
    case "TWO_FACTOR_RECOVERY_CODE_USED":
    case "SIGN_IN_METHOD_ADDED":
    case "SIGN_IN_METHOD_REMOVED":
      return "/profile/security";
    default: {
      const { type, data } = notification as Declared;
      const page = declaredOf("notifications", type)?.page;
      return page === undefined ? null : filled(page, data, encodeURIComponent);
    }
  }
}

/**
 * Returns the organization in which the page of a notification is, or null if it is in none, as the user's own apps. The data
 * of the product are its own.
 */
export const organizationOf = ({ type, data, text }: Notification): string | null =>
  !text && "organizationId" in data && !type.startsWith("CONNECTED_APP_")
    ? (data.organizationId ?? null)
    : null;
