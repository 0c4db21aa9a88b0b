import { fields, formOf, image } from "../../support/forms.ts";
import type { Random } from "../../support/image-mutations.ts";
import { pngWith } from "../../support/images.ts";
import type { Answer } from "./client.ts";
import { being, pick, type Weighted, type Workplace } from "./workplace.ts";

/** What reporters and staff do with tickets. */
export const OF_HELPDESK: Weighted = [
  [
    6,
    async (w, random, text) => {
      const person = being(w, random, "MEMBER");
      const values = { subject: text, category: "BUG", message: text };
      const path = "/api/support/tickets";
      const answer = await w.client.send(
        person,
        random(1_000),
        { method: "POST", path, ...withImage(random, values) },
        [201, 429],
      );
      if (answer.status < 400 || answer.status >= 500)
        w.effects.push({ kind: "message", text, isSure: answer.status === 201 });
      if (typeof answer.body.id === "string") w.known.tickets.push({ id: answer.body.id, by: person });
    },
  ],
  [
    6,
    async (w, random, text) => {
      const admin = being(w, random, "ORG_ADMIN");
      const ticket = pick(
        random,
        w.known.tickets.filter(({ by }) => by.organization === admin.organization).slice(-5),
      );
      if (ticket === undefined) return;
      const path = `/api/organization/helpdesk/tickets/${ticket.id}/messages`;
      const answer = await w.client.send(
        admin,
        random(1_000),
        { method: "POST", path, ...withImage(random, { message: text }) },
        [201, 404, 409, 429],
      );
      expectThere(w, ticket, answer);
      if (answer.status < 400 || answer.status >= 500)
        w.effects.push({ kind: "message", text, isSure: answer.status === 201 });
    },
  ],
  [
    6,
    async (w, random) => {
      const operator = being(w, random, "operator");
      const ticket = pick(random, w.known.tickets.slice(-10));
      const status = pick(random, ["OPEN", "IN_PROGRESS", "RESOLVED"]);
      if (ticket === undefined) return;
      const path = `/api/helpdesk/tickets/${ticket.id}`;
      const request = { method: "PATCH", path, body: { status } };
      expectThere(w, ticket, await w.client.send(operator, random(1_000), request, [200, 404]));
    },
  ],
  [
    1,
    async (w, random) => {
      if (w.known.tickets.length < 5) return;
      const [ticket] = w.known.tickets.splice(0, 1);
      await w.client.send(
        being(w, random, "operator"),
        random(1_000),
        { method: "DELETE", path: `/api/helpdesk/tickets/${ticket?.id}` },
        [204],
      );
    },
  ],
];

/** A form with these texts, mostly with an image. */
function withImage(random: Random, values: Record<string, string>) {
  const { raw, headers } = formOf([...fields(values), ...(random(4) > 0 ? [image(pngWith())] : [])]);
  return { raw: raw as Uint8Array<ArrayBuffer>, headers: headers ?? {} };
}

/** A ticket is forgotten here before it is deleted there. */
function expectThere(w: Workplace, ticket: Workplace["known"]["tickets"][number], { status }: Answer) {
  if (status === 404 && w.known.tickets.includes(ticket)) w.found.push(`a ticket is gone: ${ticket.id}`);
}
