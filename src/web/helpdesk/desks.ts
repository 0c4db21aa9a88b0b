/** The three views of tickets (own, organization, platform), each with its routes in the console and in the API. */
export const DESKS = {
  own: {
    list: "GET /api/support/tickets",
    one: "GET /api/support/tickets/{id}",
    messages: "GET /api/support/tickets/{id}/messages",
    reply: "POST /api/support/tickets/{id}/messages",
    page: "/support/tickets",
  },
  organization: {
    list: "GET /api/organization/helpdesk/tickets",
    one: "GET /api/organization/helpdesk/tickets/{id}",
    messages: "GET /api/organization/helpdesk/tickets/{id}/messages",
    reply: "POST /api/organization/helpdesk/tickets/{id}/messages",
    status: "PATCH /api/organization/helpdesk/tickets/{id}",
    page: "/helpdesk/tickets",
  },
  platform: {
    list: "GET /api/helpdesk/tickets",
    one: "GET /api/helpdesk/tickets/{id}",
    messages: "GET /api/helpdesk/tickets/{id}/messages",
    reply: "POST /api/helpdesk/tickets/{id}/messages",
    status: "PATCH /api/helpdesk/tickets/{id}",
    page: "/platform/tickets",
  },
} as const;

export type DeskName = keyof typeof DESKS;

export const staleAfter = (desk: DeskName) => [DESKS[desk].one, DESKS[desk].list] as const;
