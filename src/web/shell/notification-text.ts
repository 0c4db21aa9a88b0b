import type { Schemas } from "../../client/index.ts";
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
      case "API_KEY_EXPIRING":
      case "API_KEY_REPORTED":
        return texts[type](data.name ?? "", data.start ?? "");
      case "WELCOME":
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

/** Returns the organization of a notification, or null if it has none. The data of the product are its own. */
export const organizationOf = ({ data, text }: Notification): string | null =>
  !text && "organizationId" in data ? (data.organizationId ?? null) : null;
