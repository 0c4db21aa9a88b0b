import type { CallerName } from "./callers.ts";
import { VISIBLE_ORGANIZATIONS } from "./callers.ts";
import type { Target } from "./case.ts";
import { claimsOf } from "./claims.ts";
import { type Check, finding, readAgain } from "./exchange.ts";
import type { Fixture } from "./fixture.ts";
import { operationSet } from "./operations.ts";
import { pageOf } from "./pages.ts";
import type { RequestPlan } from "./requests.ts";
import { SHARED_GROUP } from "./sign-on.ts";

/* Sign-ins, tests and re-authentications by connections, and what setup links read. */

/** Begins what the callback of a connection completes: by turns a sign-in, a test and a re-authentication. */
export async function visitConnection(
  { sso }: Target,
  { callers, signOn, organizations, providerVisits, userIds }: Fixture,
  caller: CallerName,
): Promise<void> {
  const name = VISIBLE_ORGANIZATIONS[caller][0] ?? "own";
  const [{ enabled }, { marker }] = [signOn[name], organizations[name]];
  const browser = callers[caller];
  const turn = providerVisits.size % 3;
  const begun =
    turn === 1
      ? await browser.post(`/api/organization/connections/${enabled}/test`)
      : turn === 2
        ? await browser.post(`/api/auth/sso/${enabled}/reauthenticate`)
        : await browser.get(`/api/auth/sso/${enabled}`);
  const response = begun.status < 400 ? begun : await browser.get(`/api/auth/sso/${enabled}`);
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith("sso_state="));
  const url = response.body?.url ?? response.headers.get("location");
  if (cookie === undefined || typeof url !== "string") return;
  const now = Math.floor(Date.now() / 1000);
  const back = new URL(
    sso.visit(url, {
      ...{ sub: `${userIds[caller] ?? caller} ${marker}`, auth_time: now, email_verified: true },
      ...{ email: browser.email || `${caller}-new@${signOn[name].domain}`, groups: [SHARED_GROUP] },
    }),
  ).searchParams;
  providerVisits.set(caller, {
    ...{ code: back.get("code") ?? "", state: back.get("state") ?? "", iss: back.get("iss") ?? "" },
    cookie: cookie.slice("sso_state=".length, cookie.indexOf(";")),
  });
}

/** Operations that add an own proof to a session, or begin one with it. */
const OWN_PROOFS = operationSet(
  ...["login", "verifyTwoFactor", "signInWithPasskey", "reauthenticate", "finishProviderSignIn"],
  ...["register", "acceptInvitation", "verifyEmail", "resetPassword"],
);

/** Records that the session of the caller `confined` may have a proof of its own from now on (rules 42.4). */
export function noteOwnProof({ caller, operation }: RequestPlan, fixture: Fixture, status: number): void {
  if (status >= 400) return;
  if (caller === "confined" && OWN_PROOFS.has(operation)) fixture.isConfined = false;
  if (operation === POLICY || (caller === "bound" && operation === CALLBACK)) fixture.isBound = false;
}
const [POLICY = "", CALLBACK = ""] = operationSet("updateSignOnPolicy", "finishConnectionSignIn");

/** Returns the access token in the fragment of a redirect to the client. */
export const tokenIn = (headers: Headers): string | null =>
  new URLSearchParams(headers.get("location")?.split("#")[1] ?? "").get("token");

/** A sign-in by a connection reaches its organization alone, and is confined to it in a new session (rules 42, 44). */
export const checkConnectionSignIn: Check = (exchange) => {
  const { plan, request, response, fixture } = exchange;
  const token = plan.operation === CALLBACK ? tokenIn(response.headers) : null;
  if (token === null) return null;
  const { organization, confined, isPlatformAdmin, sub } = claimsOf(token);
  const owner = fixture.organizationById.get(request.params.connectionId ?? "");
  const reached = organization === null ? null : fixture.organizationById.get(organization.id);
  const isOther = sub !== fixture.userIds[plan.caller];
  const problem =
    owner === undefined || reached !== owner
      ? `by a connection of ${owner} reaches ${reached}`
      : isPlatformAdmin
        ? "by a connection is one of a platform administrator"
        : isOther && !confined
          ? "of another account by a connection is not confined"
          : null;
  return finding("access", exchange, problem && `signs in, and the session ${problem}`);
};

/** Nobody gets a token of an organization by own proofs whom its policy binds to its own sign-in (rules 43.2, 43.5). */
export const checkBound: Check = (exchange) => {
  const { response, fixture } = exchange;
  const token = (response.body as { accessToken?: unknown } | null)?.accessToken ?? tokenIn(response.headers);
  if (typeof token !== "string" || !fixture.isBound) return null;
  const { sub, organization } = claimsOf(token);
  const reaches = sub === fixture.userIds.bound && organization?.id === fixture.organizations.other.id;
  return finding(
    "access",
    exchange,
    reaches ? "returns a token of an organization that binds its holder" : null,
  );
};

type Shown = {
  protocol?: string;
  status?: string;
  join?: unknown;
  wouldBe?: unknown;
  assignments?: unknown[];
};

/** The bearer of a setup link reads only drafts, and nothing of who may join or has an account (rules 45.4). */
export const checkSetup: Check = (exchange) => {
  const { plan, response } = exchange;
  if (plan.caller !== "setter") return null;
  const { data } = (response.body ?? {}) as { data?: Shown[] };
  const found = [data ?? (response.body as Shown | null) ?? []]
    .flat()
    .find(
      ({ protocol, status, join, wouldBe, assignments = [] }) =>
        (protocol !== undefined && status !== "DRAFT") ||
        ((join ?? wouldBe ?? null) !== null && plan.credentials === "own") ||
        assignments.length > 0,
    );
  return finding(
    "leak",
    exchange,
    found ? `shows a setup link ${JSON.stringify(found).slice(0, 400)}` : null,
  );
};

type Counted = { identityCount?: number; mappingCount?: number; people?: number; mappings?: number };

/**
 * A connection counts its own people and mappings, and each group at most these: no list counts those of other connections, although
 * all have a group of the same name.
 */
export const checkCounts: Check = async (exchange) => {
  const { plan, request, response } = exchange;
  if (!COUNTING.has(plan.operation)) return null;
  const { id = "" } = request.params;
  const path = `/api/organization/connections/${id}`;
  const { status, body } = await readAgain(exchange, path);
  const { identityCount: people = 0, mappingCount: mappings = 0 } = body as Counted;
  if (status !== 200) return null;
  const total = async (list: string) => pageOf(await readAgain(exchange, list))?.total;
  const shown = [
    await total(`${path}/identities`),
    await total(`/api/organization/mappings?connectionId=${id}`),
  ];
  const problem = [people, mappings].some((count, index) => (shown[index] ?? count) !== count)
    ? `counts ${people} people and ${mappings} mappings, and the lists ${shown}`
    : null;
  const groups = (pageOf(response)?.data ?? []) as Counted[];
  const wrong = groups.find((one) => (one.people ?? 0) > people || (one.mappings ?? 0) > mappings);
  return finding(
    "list",
    exchange,
    problem ?? (wrong ? `counts ${JSON.stringify(wrong)} of ${people}` : null),
  );
};
const COUNTING = operationSet("getConnection", "listSsoGroups", "listSsoIdentities");
