import { html } from "hono/html";
import { localPages, NOWHERE_BUT_FORMS, page, respond } from "../page.ts";
import type { DnsAnswer } from "./answer.ts";
import type { DnsServer } from "./server.ts";

/** A record that a domain of the service needs. */
export type NeededRecord = { organization: string; name: string; value: string };

const SLOW_MS = 6_000;
const FAULTS: Record<string, { text: string; answer: DnsAnswer }> = {
  NXDOMAIN: { text: "does not exist", answer: { code: "NXDOMAIN" } },
  SERVFAIL: { text: "fails", answer: { code: "SERVFAIL" } },
  slow: { text: "answers after six seconds", answer: { records: [], delayMs: SLOW_MS } },
};

type Options = {
  dns: DnsServer;
  port: number;
  /** Returns the records that the domains of all organizations need. */
  needed: () => Promise<NeededRecord[]>;
};

/** Serves the page of the DNS stand-in: its records, those that are needed, and faults. */
export function startDnsPage({ dns, port, needed }: Options) {
  async function show(): Promise<Response> {
    const records = [...dns.answers].map(([name, answer]) => [name, describe(answer)] as const);
    const missing = (await needed()).filter(({ name, value }) => !isPublished(dns, name, value));
    const organizations = [...new Set(missing.map(({ organization }) => organization))];
    const body = html`<h1>DNS</h1>
<p>A stand-in for development: the service asks it for TXT records.</p>
<h2>Needed by domains</h2>
${organizations.map(
  (organization) =>
    html`<form method="post" action="/needed"><button name="organization" value="${organization}">Publish what ${organization} needs</button></form>`,
)}
<ul class="items">${missing.map(({ name, value }) => html`<li>${name} <span class="quiet">${value}</span></li>`)}</ul>
<h2>Records</h2>
<ul class="items">${records.map(
      ([name, text]) =>
        html`<li><form method="post" action="/remove">${name} <span class="quiet">${text}</span> <button name="name" value="${name}">Remove</button></form></li>`,
    )}</ul>
<h2>Publish a record</h2>
<form method="post" action="/publish"><label>Name <input name="name" required></label> <label>Value <input name="value" required></label> <button>Publish</button></form>
<h2>Let a name fail</h2>
<form method="post" action="/fail"><label>Name <input name="name" required></label>
${Object.entries(FAULTS).map(([value, { text }]) => html`<button name="fault" value="${value}">${text}</button> `)}</form>`;
    return respond(await page("DNS", "", body), "text/html", 200, NOWHERE_BUT_FORMS);
  }

  async function change(request: Request, action: string): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const name = (form.get("name") ?? "").trim().toLowerCase();
    if (action === "/publish") dns.publish(name, (form.get("value") ?? "").trim());
    if (action === "/remove") dns.publish(name);
    if (action === "/fail")
      dns.answers.set(name, FAULTS[form.get("fault") ?? ""]?.answer ?? { code: "NXDOMAIN" });
    if (action === "/needed")
      for (const record of await needed())
        if (record.organization === form.get("organization")) dns.publish(record.name, record.value);
    return new Response(null, { status: 303, headers: { location: "/" } });
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: localPages((request, url) => (request.method === "POST" ? change(request, url.pathname) : show())),
  });
  return { url: server.url.href.replace(/\/$/, ""), stop: () => server.stop(true) };
}

const describe = (answer: DnsAnswer): string => {
  if ("code" in answer) return answer.code;
  if ("records" in answer)
    return `${answer.records.map((strings) => strings.join("")).join(", ")}${answer.delayMs ? " (slow)" : ""}`;
  return "no answer";
};

function isPublished(dns: DnsServer, name: string, value: string): boolean {
  const answer = dns.answers.get(name.toLowerCase());
  return (
    answer !== undefined &&
    "records" in answer &&
    answer.records.some((strings) => strings.join("") === value)
  );
}
