import type { Client, Session } from "../../client/index.ts";
import { tabStorage } from "./environment.ts";
import { consoleFeatures } from "./features.ts";

/** The organization in which a platform administrator acts. */
type SelectedOrganization = { readonly id: string; readonly name: string; readonly slug: string };

const KEY = "acting-on";
/**
 * Path prefixes of routes that act in one organization. On other routes X-Organization-Id would restrict the lists of
 * platform administrators (rules 3.9).
 */
const OF_ORGANIZATION = new Set([
  "/api/organization",
  "/api/units",
  "/api/permissions",
  "/api/roles",
  "/api/members",
]);
/** Permissions that platform administrators never have (rules 19.11). */
const NEVER = new Set(["Billing.Create", "Billing.Update"]);

function isOfOrganization(endpoint: string): boolean {
  const prefix = /\/api\/[^/]+/.exec(endpoint)?.[0] ?? "";
  return (
    OF_ORGANIZATION.has(prefix) ||
    consoleFeatures().some(({ ofOrganization = [] }) => ofOrganization.includes(prefix))
  );
}

const listeners = new Set<() => void>();
let acted = initial();

function initial(): SelectedOrganization | null {
  try {
    const { id, name, slug } = JSON.parse(tabStorage.read(KEY) ?? "null");
    return typeof id === "string" && typeof name === "string" && typeof slug === "string"
      ? { id, name, slug }
      : null;
  } catch {
    return null;
  }
}

/** Makes a platform administrator act in this organization in this tab; null ends it. */
export function selectOrganization(organization: SelectedOrganization | null): void {
  acted = organization;
  if (organization === null) tabStorage.remove(KEY);
  else tabStorage.save(KEY, JSON.stringify(organization));
  for (const listener of listeners) listener();
}

/** Updates name and slug of the selected organization. Ignores other organizations. */
export function updateSelectedOrganization({ id, name, slug }: SelectedOrganization): void {
  if (acted?.id === id && (acted.name !== name || acted.slug !== slug))
    selectOrganization({ id, name, slug });
}

/**
 * Wraps the client, so that a platform administrator acts in the organization of `selectOrganization`. The wrapped
 * session shows that organization, and requests to routes of an organization have the header `X-Organization-Id`.
 * Sessions of other users are unchanged.
 */
export function clientForSelectedOrganization(client: Client): Client {
  let [of, by, shown]: [Session | null, SelectedOrganization | null, Session | null] = [null, null, null];
  const isActing = (session: Session) =>
    session.status === "signed-in" && session.isPlatformAdmin && acted !== null;

  function get(): Session {
    const session = client.session.get();
    if (!isActing(session)) return session;
    // Returns the same object until something changes, as `useSyncExternalStore` requires.
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
