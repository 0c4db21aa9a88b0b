import { fields, formOf, image } from "../../support/forms.ts";
import type { Random } from "../../support/image-mutations.ts";
import { pngWith } from "../../support/images.ts";
import type { ApiResponse } from "./client.ts";
import { pick, pickPerson, sendAs, type Weighted, type WorkContext } from "./work-context.ts";

/** Work on the helpdesk: requests of reporters and staff about tickets. */
export const HELPDESK_WORK: Weighted = [
  [
    6,
    async (w, random, text) => {
      const person = pickPerson(w, random, "MEMBER");
      const values = { subject: text, category: "BUG", message: text };
      const request = { method: "POST", path: "/api/support/tickets", ...withImage(random, values) };
      const response = await w.client.send(person, random(1_000), request, [201, 429]);
      if (response.status < 400 || response.status >= 500)
        w.effects.push({ kind: "message", text, isConfirmed: response.status === 201 });
      if (typeof response.body.id === "string") w.known.tickets.push({ id: response.body.id, by: person });
    },
  ],
  [
    6,
    async (w, random, text) => {
      const admin = pickPerson(w, random, "ORG_ADMIN");
      const ticket = pick(
        random,
        w.known.tickets.filter(({ by }) => by.organization === admin.organization).slice(-5),
      );
      if (ticket === undefined) return;
      const path = `/api/organization/helpdesk/tickets/${ticket.id}/messages`;
      const request = { method: "POST", path, ...withImage(random, { message: text }) };
      const response = await w.client.send(admin, random(1_000), request, [201, 404, 409, 429]);
      expectExists(w, ticket, response);
      if (response.status < 400 || response.status >= 500)
        w.effects.push({ kind: "message", text, isConfirmed: response.status === 201 });
    },
  ],
  [
    6,
    async (w, random) => {
      const ticket = pick(random, w.known.tickets.slice(-10));
      const status = pick(random, ["OPEN", "IN_PROGRESS", "RESOLVED"]);
      if (ticket === undefined) return;
      const request = { method: "PATCH", path: `/api/helpdesk/tickets/${ticket.id}`, body: { status } };
      expectExists(w, ticket, await sendAs(w, random, ["operator"], request, [200, 404]));
    },
  ],
  [
    1,
    async (w, random) => {
      if (w.known.tickets.length < 5) return;
      const [ticket] = w.known.tickets.splice(0, 1);
      const request = { method: "DELETE", path: `/api/helpdesk/tickets/${ticket?.id}` };
      await sendAs(w, random, ["operator"], request, [204]);
    },
  ],
];

/** Returns a form with these texts, in most cases with an image. */
function withImage(random: Random, values: Record<string, string>) {
  const { raw, headers } = formOf([...fields(values), ...(random(4) > 0 ? [image(pngWith())] : [])]);
  return { raw: raw as Uint8Array<ArrayBuffer>, headers: headers ?? {} };
}

/**
 * Reports a 404 for a ticket that was not deleted. A ticket is removed from the known ones before its deletion is
 * requested.
 */
function expectExists(
  w: WorkContext,
  ticket: WorkContext["known"]["tickets"][number],
  { status }: ApiResponse,
) {
  if (status === 404 && w.known.tickets.includes(ticket))
    w.violations.push(`a ticket disappeared: ${ticket.id}`);
}
