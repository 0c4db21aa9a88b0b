import type { Schemas } from "../../client/index.ts";
import { deviceOf } from "../lib/device.ts";
import { declaredOf } from "../lib/features.ts";
import { filled, filledPath } from "../lib/filled.ts";
import { useFormat } from "../lib/format.ts";
import { type Language, useLanguage } from "../lib/i18n.tsx";
import { useRoleName } from "../lib/role-names.ts";
import type { BothTexts } from "../texts/dictionary.ts";
import { notificationTexts } from "../texts/notifications.ts";

export type Notification = Schemas["Notification"];
/** Makes all fields of the data optional: fields that were added later are missing in older notifications. */
type Tolerant<T> = T extends { type: infer Type; data: infer Data }
  ? { type: Type; data: { [Key in keyof Data]?: Data[Key] | undefined } }
  : never;
type Data = Readonly<Record<string, unknown>>;
type How = Pick<ReturnType<typeof useFormat>, "list" | "number"> & {
  readonly language: Language;
  readonly roleName: (name: string) => string;
};

/** Returns a function that describes a notification in the current language. Unknown types get a general sentence. */
export function useNotificationText(): (notification: Notification) => string {
  const { language } = useLanguage();
  const format = useFormat();
  const roleName = useRoleName();
  return (notification) => notificationText(notification, { language, roleName, ...format });
}

export function notificationText(notification: Notification, how: How): string {
  const { type, data, text } = notification;
  if (text) return text[how.language];
  const own: BothTexts | undefined = notificationTexts[keyOf(notification)];
  const sentence = own ?? declaredOf("notifications", type)?.text ?? notificationTexts.unknown;
  const values = shownValues(notification as Tolerant<Notification>, how);
  return filled(sentence[how.language], { ...data, ...values });
}

/** Returns the values of a text that are not in the data as they are shown. */
function shownValues(
  { type, data }: Tolerant<Notification>,
  { language, list, number, roleName }: How,
): Data {
  const textOf = (name: keyof typeof notificationTexts) => notificationTexts[name][language];
  const numberIn = (about: { number?: number | undefined }) =>
    about.number === undefined ? {} : { number: number(about.number) };
  function rolesIn(text: string, entries: readonly Schemas["RoleEntry"][] = []): string {
    const roles = entries.map(({ roleName: name, unitName }) =>
      unitName == null ? roleName(name) : filled(textOf("inUnit"), { role: roleName(name), unit: unitName }),
    );
    return roles.length === 0 ? "" : filled(text, { roles: list(roles) });
  }
  switch (type) {
    case "NEW_SIGN_IN": {
      const { browser, system } = deviceOf(data.userAgent ?? null) ?? {};
      return { device: [browser, system].filter(Boolean).join(", ") || textOf("unknownDevice") };
    }
    case "SIGN_IN_METHOD_ADDED":
    case "SIGN_IN_METHOD_REMOVED":
      // Passkey and password stand in the field for providers.
      return data.provider === "passkey" || data.provider === "password"
        ? { provider: textOf(data.provider) }
        : {};
    case "TWO_FACTOR_RECOVERY_CODE_USED":
      return { remaining: number(data.remaining ?? 0) };
    case "HELPDESK_TICKET_CREATED":
    case "HELPDESK_REPORTER_REPLIED":
    case "HELPDESK_STAFF_REPLIED":
      return numberIn(data);
    case "HELPDESK_STATUS_CHANGED":
      // A later version of the service may send a status that this console does not know.
      return { ...numberIn(data), status: data.status && notificationTexts[data.status]?.[language] };
    case "JOIN_REQUESTED":
      return { count: data.count ?? 1 };
    case "SIGN_ON_ANNOUNCED":
      return { day: data.enforceFrom?.slice(0, 10) };
    case "ROLES_CHANGED":
      return {
        added: rolesIn(textOf("added"), data.added),
        removed: rolesIn(textOf("removed"), data.removed),
      };
    default:
      return {};
  }
}

function keyOf({ type, data }: Notification) {
  if (type === "PASSWORD_CHANGED" && data.via === "reset") return "PASSWORD_RESET";
  if (type === "TWO_FACTOR_DISABLED" && data.via === "admin") return "TWO_FACTOR_DISABLED_BY_ADMIN";
  // For the compiler any type with a text here: one that a product declares has none, and its area has the text.
  return type as "WELCOME";
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
  HELPDESK_TICKET_CREATED: "/{desk}/tickets/{ticketId}",
  HELPDESK_REPORTER_REPLIED: "/{desk}/tickets/{ticketId}",
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
  // What is sent to platform administrators about a ticket names no organization.
  const desk = "organizationId" in data && data.organizationId ? "helpdesk" : "platform";
  return filledPath(page, { desk, ...data });
}

/**
 * Returns the organization in which the page of a notification is, or null if it is in none, as the user's own apps. The data
 * of the product are its own.
 */
export const organizationOf = ({ type, data, text }: Notification): string | null =>
  !text && "organizationId" in data && !type.startsWith("CONNECTED_APP_")
    ? (data.organizationId ?? null)
    : null;
