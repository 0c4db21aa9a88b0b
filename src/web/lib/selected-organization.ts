import type { Client, Session } from "../../client/index.ts";
import { readFromTab, removeFromTab, saveInTab } from "./environment.ts";

/** The organization that a platform administrator acts on. */
export type SelectedOrganization = { readonly id: string; readonly name: string; readonly slug: string };

const KEY = "acting-on";
/** The beginnings of the paths of an organization; on the platform's own the header would narrow their lists (rules 3.9). */
const OF_ORGANIZATION = new Set([
  "/api/organization",
  "/api/units",
  "/api/permissions",
  "/api/roles",
  "/api/members",
  // Resources of the product.
  "/api/todos",
]);
/** Refused for platform administrators (rules 19.11). */
const NEVER = new Set(["Billing.Create", "Billing.Update"]);

const isOfOrganization = (endpoint: string) => OF_ORGANIZATION.has(/\/api\/[^/]+/.exec(endpoint)?.[0] ?? "");

const listeners = new Set<() => void>();
let acted = initial();

function initial(): SelectedOrganization | null {
  try {
    const { id, name, slug } = JSON.parse(readFromTab(KEY) ?? "null");
    return typeof id === "string" && typeof name === "string" && typeof slug === "string"
      ? { id, name, slug }
      : null;
  } catch {
    return null;
  }
}

/** Acts on this organization in this tab from now on; on none with null. */
export function selectOrganization(organization: SelectedOrganization | null): void {
  acted = organization;
  if (organization === null) removeFromTab(KEY);
  else saveInTab(KEY, JSON.stringify(organization));
  for (const listener of listeners) listener();
}

/** What the acted organization is called, wherever that was loaded or changed; of others it says nothing. */
export function updateSelectedOrganization({ id, name, slug }: SelectedOrganization): void {
  if (acted?.id === id && (acted.name !== name || acted.slug !== slug))
    selectOrganization({ id, name, slug });
}

/**
 * A client whose platform administrator acts on the organization of `selectOrganization`: it is the session's organization, and is
 * named by `X-Organization-Id` on the routes of an organization. Everybody else's session is as it is.
 */
export function clientForSelectedOrganization(client: Client): Client {
  let [of, by, shown]: [Session | null, SelectedOrganization | null, Session | null] = [null, null, null];
  const isActing = (session: Session) =>
    session.status === "signed-in" && session.isPlatformAdmin && acted !== null;

  function get(): Session {
    const session = client.session.get();
    if (!isActing(session)) return session;
    // The same object until something in it changes, as React needs it.
    if (shown === null || of !== session || by !== acted) {
      shown = { ...session, organization: acted } as Session;
      [of, by] = [session, acted];
    }
    return shown;
  }

  function headersFor(endpoint: string): Record<string, string> | null {
    if (!isOfOrganization(endpoint) || !isActing(client.session.get()) || acted === null) return null;
    return { "X-Organization-Id": acted.id };
  }
  const through = <Method extends (endpoint: never, ...options: never[]) => unknown>(
    method: Method,
  ): Method =>
    ((endpoint: string, options: { headers?: object } = {}) => {
      const headers = headersFor(endpoint);
      const all = headers === null ? options : { ...options, headers: { ...headers, ...options.headers } };
      return (method as unknown as (endpoint: string, options: object) => unknown)(endpoint, all);
    }) as unknown as Method;

  return {
    ...client,
    session: {
      get,
      subscribe(listener) {
        listeners.add(listener);
        const unsubscribe = client.session.subscribe(listener);
        return () => {
          listeners.delete(listener);
          unsubscribe();
        };
      },
    },
    can(permission, unitId) {
      const session = client.session.get();
      if (session.status === "signed-in" && session.isPlatformAdmin)
        return acted !== null && !session.mustEnableTwoFactor && !NEVER.has(permission);
      return client.can(permission, unitId);
    },
    request: through(client.request),
    raw: through(client.raw),
    pages: through(client.pages),
    rows: through(client.rows),
    upload: through(client.upload),
  };
}
