import { html } from "hono/html";
import { page } from "../page.ts";
import { groupId, type Kind, type Person } from "./company-people.ts";

/** What a provider does wrong. */
export const FAULTS = {
  none: "Works",
  down: "Is down (503)",
  slow: "Takes six seconds",
  "wrong-issuer": "Names another issuer in its metadata",
  "expired-secret": "Refuses the client secret as expired",
} as const;
export type Fault = keyof typeof FAULTS;

type Shown = {
  name: string;
  kind: Kind;
  issuer: string;
  client: { id: string; secret: string };
  people: Iterable<Person>;
  fault: Fault;
};

/** Returns the page of a company's provider: what a connection needs, its people with their groups, and its faults. */
export const companyPage = ({ name, kind, issuer, client, people, fault }: Shown): Promise<string> =>
  page(
    name,
    "",
    html`<h1>${name}</h1>
<p>A stand-in for development. A connection needs:</p>
<dl><dt>Issuer</dt><dd>${issuer}</dd><dt>Client id</dt><dd>${client.id}</dd><dt>Client secret</dt><dd>${client.secret}</dd></dl>
<h2>People</h2>
<ul class="items">${[...people].map(
      ({ subject, firstName, lastName, email, groups }) => html`<li>
<form method="post" action="/people/${subject}">
<b>${firstName} ${lastName}</b>, ${email}
<label>Groups <input name="groups" value="${groups.join(", ")}"></label> <button>Save</button> <button name="remove" value="yes">Remove</button>
${kind === "entra" ? html`<p class="quiet">${groups.map((group) => `${group}: ${groupId(group)}`).join(" · ")}</p>` : ""}
</form></li>`,
    )}</ul>
<h2>Add a person</h2>
<form method="post" action="/people"><label>Name <input name="name" required></label> <label>Email <input name="email" type="email" required></label>
<label>Groups <input name="groups"></label> <button>Add</button></form>
<h2>What it does</h2>
<form method="post" action="/fault">${Object.entries(FAULTS).map(
      ([value, text]) =>
        html`<p><label><input type="radio" name="fault" value="${value}" ${value === fault ? "checked" : ""}> ${text}</label></p>`,
    )}<button>Set</button></form>`,
  );
