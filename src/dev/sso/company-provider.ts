import type { Provider } from "oidc-provider";
import { startIdentityProvider } from "../identity-provider.ts";
import { LOCAL_HOSTS, STYLE } from "../page.ts";
import { companyPage, FAULTS, type Fault } from "./company-page.ts";
import { claimsOf, type Kind, newPerson, type Person, peopleOf } from "./company-people.ts";

const MORE_CLAIMS = ["groups", "oid", "preferred_username", "_claim_names", "_claim_sources"];
const SLOW_MS = 6_000;

type Koa = Parameters<Provider["use"]>[0];
type Context = Parameters<Koa>[0];

/**
 * Starts a provider such as a company has, with a page on which people, groups and faults are made. Any address below `/api/auth/sso/` of
 * the service may receive its answers, because the ids of connections are not known before.
 */
export async function startCompanyProvider(options: {
  kind: Kind;
  name: string;
  /** The domain of its people's addresses. */
  domain: string;
  /** The address of the service. */
  serviceUrl: string;
  port?: number;
}) {
  const { kind, name, domain, serviceUrl, port = 0 } = options;
  const client = {
    id: `${kind}-client`,
    secret: `only-for-development-${kind}-0123456789`,
    redirectUris: [`${serviceUrl}/api/auth/sso/any/callback`],
  };
  const persons = new Map<string, Person>(peopleOf(domain).map((one) => [one.subject, one]));
  const people = new Map<string, Record<string, unknown>>();
  const describe = () => {
    people.clear();
    for (const [subject, one] of persons) people.set(subject, claimsOf(kind, one));
  };
  describe();
  let fault: Fault = "none";
  let issuer = "";

  async function change(ctx: Context): Promise<void> {
    const form = new URLSearchParams(await textOf(ctx));
    const groups = (form.get("groups") ?? "")
      .split(",")
      .map((group) => group.trim())
      .filter(Boolean);
    const [, , subject = ""] = ctx.path.split("/");
    const known = persons.get(subject);
    if (ctx.path === "/fault")
      fault = Object.hasOwn(FAULTS, form.get("fault") ?? "") ? (form.get("fault") as Fault) : "none";
    else if (ctx.path === "/people") {
      const added = newPerson(form.get("name") ?? "", form.get("email") ?? "", groups);
      persons.set(added.subject, added);
    } else if (known !== undefined && form.has("remove")) persons.delete(subject);
    else if (known !== undefined) persons.set(subject, { ...known, groups });
    describe();
    ctx.redirect("/");
  }

  const around: Koa = async (ctx, next) => {
    // Against DNS rebinding, by which a page of another host could change something here.
    if (!LOCAL_HOSTS.includes(ctx.hostname)) return ctx.throw(421);
    if (ctx.path === "/style.css") {
      ctx.type = "css";
      ctx.body = STYLE;
      return;
    }
    if (ctx.method === "GET" && ctx.path === "/") {
      ctx.type = "html";
      ctx.body = await companyPage({ name, kind, issuer, client, people: persons.values(), fault });
      return;
    }
    if (ctx.method === "POST" && (ctx.path === "/fault" || ctx.path.startsWith("/people")))
      return change(ctx);
    if (fault === "down") {
      ctx.status = 503;
      return;
    }
    if (fault === "slow") await Bun.sleep(SLOW_MS);
    if (fault === "expired-secret" && ctx.path === "/token") {
      ctx.status = 401;
      ctx.body = { error: "invalid_client", error_description: "The client secret has expired" };
      return;
    }
    await next();
    if (fault === "wrong-issuer" && ctx.path.endsWith("/openid-configuration"))
      ctx.body = { ...(ctx.body as object), issuer: "https://elsewhere.example.com" };
  };

  const started = await startIdentityProvider({
    client,
    people,
    name,
    moreClaims: MORE_CLAIMS,
    allowsRedirect: (uri) => uri.startsWith(`${serviceUrl}/api/auth/sso/`),
    port,
    around,
  });
  issuer = started.issuer;
  return { ...started, client, kind, name };
}

async function textOf({ req }: Context): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
