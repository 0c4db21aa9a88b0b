/** The demo accounts that open pages; undefined: a signed-out browser. */
export type Viewer = "ada" | "uma" | "bob" | "mia" | "root";

export type PicturePage = {
  /** The name of the file, without look and width. */
  name: string;
  path: string;
  viewer?: Viewer;
  /** Whether a picture in dark colors is taken too. */
  isDarkToo?: boolean;
};

export type RecordIds = Record<
  | "organization"
  | "user"
  | "member"
  | "role"
  | "ticket"
  | "ownTicket"
  | "unit"
  | "serviceAccount"
  | "webhook",
  string
>;

/** Returns the pages of the console of which pictures are taken. */
export function picturePages(ids: RecordIds): PicturePage[] {
  return [
    { name: "sign-in", path: "/sign-in" },
    { name: "register", path: "/register" },
    { name: "forgot-password", path: "/forgot-password" },
    { name: "home-administrator", path: "/", viewer: "ada", isDarkToo: true },
    { name: "home-unit-administrator", path: "/", viewer: "uma" },
    { name: "home-helpdesk", path: "/", viewer: "bob" },
    { name: "home-member", path: "/", viewer: "mia" },
    { name: "home-platform", path: "/", viewer: "root" },
    { name: "notifications", path: "/notifications", viewer: "ada" },
    { name: "todos", path: "/todos", viewer: "ada" },
    { name: "todos-all", path: "/todos/all", viewer: "ada" },
    { name: "my-tickets", path: "/support/tickets", viewer: "mia" },
    { name: "my-ticket", path: `/support/tickets/${ids.ownTicket}`, viewer: "mia" },
    { name: "new-ticket", path: "/support/tickets/new", viewer: "mia" },
    { name: "inbox", path: "/helpdesk/tickets", viewer: "ada" },
    { name: "helpdesk-overview", path: "/helpdesk/overview", viewer: "ada" },
    { name: "ticket", path: `/helpdesk/tickets/${ids.ticket}`, viewer: "ada", isDarkToo: true },
    { name: "organization", path: "/organization", viewer: "ada" },
    { name: "members", path: "/members", viewer: "ada", isDarkToo: true },
    { name: "member", path: `/members/${ids.member}`, viewer: "ada" },
    { name: "member-access", path: `/members/${ids.member}/access`, viewer: "ada" },
    { name: "member-activity", path: `/members/${ids.member}/activity`, viewer: "ada" },
    { name: "invitations", path: "/invitations", viewer: "ada" },
    { name: "invite", path: "/invitations/new", viewer: "ada" },
    { name: "units", path: `/units?unit=${ids.unit}`, viewer: "ada" },
    { name: "units-chart", path: "/units/chart", viewer: "ada" },
    { name: "roles", path: "/roles", viewer: "ada" },
    { name: "role", path: `/roles/${ids.role}`, viewer: "ada" },
    { name: "role-new", path: "/roles/new", viewer: "ada" },
    { name: "billing", path: "/billing", viewer: "ada" },
    { name: "billing-usage", path: "/billing/usage", viewer: "ada" },
    { name: "audit", path: "/audit", viewer: "ada", isDarkToo: true },
    { name: "settings", path: "/settings", viewer: "ada" },
    { name: "service-accounts", path: "/service-accounts", viewer: "ada" },
    { name: "service-account", path: `/service-accounts/${ids.serviceAccount}`, viewer: "ada" },
    { name: "webhooks", path: "/webhooks", viewer: "ada" },
    { name: "webhook", path: `/webhooks/${ids.webhook}`, viewer: "ada" },
    { name: "events", path: "/events", viewer: "ada" },
    { name: "profile", path: "/profile", viewer: "mia" },
    { name: "profile-security", path: "/profile/security", viewer: "mia" },
    { name: "profile-sessions", path: "/profile/sessions", viewer: "mia" },
    { name: "profile-data", path: "/profile/data", viewer: "mia" },
    { name: "platform-organizations", path: "/platform/organizations", viewer: "root" },
    { name: "platform-organization", path: `/platform/organizations/${ids.organization}`, viewer: "root" },
    { name: "platform-organization-new", path: "/platform/organizations/new", viewer: "root" },
    { name: "platform-users", path: "/platform/users", viewer: "root" },
    { name: "platform-user", path: `/platform/users/${ids.user}`, viewer: "root" },
    { name: "platform-tickets", path: "/platform/tickets", viewer: "root" },
    { name: "platform-audit", path: "/platform/audit", viewer: "root" },
  ];
}
