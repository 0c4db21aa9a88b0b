import { join } from "node:path";
import { Hono } from "hono";
import type { RouterEnv } from "../core/api/request-context.ts";
import type { Config } from "../core/config.ts";

const ROOT = join(import.meta.dir, "../..");
const RULES = "docs/rules";

/** The documents that are served as Markdown: the name in the address, the file, and what it is for. */
const DOCUMENTS = {
  README: { file: "README.md", about: "What the service is, and how to run it" },
  agents: {
    file: "docs/agents.md",
    about: "How an agent connects to `/mcp`, another app to the API, and what they may do",
  },
  clients: {
    file: "docs/clients.md",
    about: "How a program uses the API: sessions, errors, retries, streams",
  },
  rules: { file: "docs/rules.md", about: "Every rule of the behaviour, with its number" },
  extend: { file: "docs/extend.md", about: "How to build a product on the service" },
} as const;

const LINK = /(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Serves the documents that an agent reads: `/llms.txt`, and `/docs/<name>.md` for each of them; every other path below
 * `/docs/` is left to others. They exist with `OAUTH=on`.
 */
export function documents(config: Config): Hono<RouterEnv> {
  const routes = new Hono<RouterEnv>();
  if (!config.oauth) return routes;
  const add = (path: string, type: string, text: () => Promise<string>) => {
    let made: Promise<string> | null = null;
    routes.get(path, async (c) => {
      c.get("request").route = path;
      made ??= text();
      return c.body(await made, 200, {
        "content-type": `${type}; charset=utf-8`,
        "cache-control": "public, max-age=300",
      });
    });
  };
  add("/llms.txt", "text/plain", async () => index(config));
  for (const [name, { file }] of Object.entries(DOCUMENTS))
    add(`/docs/${name}.md`, "text/markdown", async () => withAbsoluteLinks(await read(file), file, config));
  return routes;
}

/** The list of documents in the form of llmstxt.org: a title, what this is, and links. */
function index({ apiUrl }: Config): string {
  const links = Object.entries(DOCUMENTS).map(
    ([name, { about }]) => `- [${name}](${apiUrl}/docs/${name}.md): ${about}`,
  );
  return [
    "# Multi-organization service",
    "",
    "> Accounts, organizations with units and roles, invitations, audit log, notifications, billing and helpdesk behind one REST API. An app acts for a person, in one organization or unit, within scopes.",
    "",
    "## Documents",
    "",
    ...links,
    "",
    "## API",
    "",
    `- [OpenAPI document](${apiUrl}/api/docs-json): every operation; \`x-apps\` says whether an app may call it, \`x-scope\` with which scope`,
    `- [Protected resource metadata](${apiUrl}/.well-known/oauth-protected-resource): where an app gets tokens (RFC 9728)`,
    `- [Authorization server metadata](${apiUrl}/.well-known/oauth-authorization-server): how it gets them (RFC 8414)`,
    "",
  ].join("\n");
}

/** Reads a document; that of the rules with all of its pages. */
async function read(file: string): Promise<string> {
  const text = await Bun.file(join(ROOT, file)).text();
  if (file !== DOCUMENTS.rules.file) return text;
  const pages = [...new Bun.Glob("*.md").scanSync(join(ROOT, RULES))].toSorted();
  const texts = pages.map((page) => Bun.file(join(ROOT, RULES, page)).text());
  return [text, ...(await Promise.all(texts))].join("\n\n");
}

/** Makes links to served documents absolute. Of a link to another file of the repository the text remains. */
function withAbsoluteLinks(text: string, file: string, { apiUrl }: Config): string {
  const ofFile = new Map<string, string>(Object.entries(DOCUMENTS).map(([name, of]) => [of.file, name]));
  return text.replace(LINK, (whole, label: string, target: string) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return whole;
    const url = new URL(target, `file:///${file}`);
    const path = url.pathname.slice(1);
    const name = path.startsWith(`${RULES}/`) || path.startsWith("rules/") ? "rules" : ofFile.get(path);
    return name === undefined ? label : `[${label}](${apiUrl}/docs/${name}.md${url.hash})`;
  });
}
