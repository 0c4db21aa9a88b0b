import { SQL } from "bun";
import { invitations } from "./invitations.ts";
import { reads } from "./reads.ts";
import { sessions } from "./sessions.ts";
import { streams } from "./streams.ts";
import { type Claims, tokens } from "./tokens.ts";

/**
 * The baseline of the benchmarks: a minimal server that gives the same responses as the service. It is a bare
 * `Bun.serve` with Bun's own SQL client, on the service's schema. It verifies the token, and one handwritten
 * statement does the rest (two for a sign-in, before and after the hash). It has no input validation, limits or
 * log, and no locks beyond those of the statement. Mails are queued, but not sent.
 */
const { DATABASE_URL = "", JWT_SECRET = "", APP_URL = "", JOBS_ENCRYPTION_KEY = "", PORT } = process.env;
const sql = new SQL({ url: DATABASE_URL, max: 10 });
const { sign, verify } = tokens({ secret: JWT_SECRET, issuer: APP_URL, seconds: 6 * 3600 });
const { login, refresh } = sessions(sql, sign);
const { invite, accept } = invitations(sql, JOBS_ENCRYPTION_KEY);
const { open, publish } = await streams(sql, DATABASE_URL);

const IP = "127.0.0.1";
const refused = () => Response.json({ statusCode: 401, code: "UNAUTHENTICATED" }, { status: 401 });

type Answer = Response | null | Promise<Response | null>;
const signedIn = (handle: (who: Claims, request: Request) => Answer) => async (request: Request) => {
  const who = verify(request.headers.get("authorization"));
  return (who && (await handle(who, request))) ?? refused();
};
// biome-ignore lint/suspicious/noExplicitAny: the baseline validates nothing
const body = (request: Request): Promise<any> => request.json();

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  idleTimeout: 0,
  routes: {
    "/api/health/ready": () => Response.json({ status: "ok" }),
    "/api/health/live": () => Response.json({ status: "ok" }),
    ...Object.fromEntries(
      Object.entries(reads(sql)).map(([path, read]) => [
        path,
        signedIn(async (who) => Response.json(await read(who))),
      ]),
    ),
    "/api/auth/login": async (request) => {
      const { email, password } = await body(request);
      return (await login(email, password, IP)) ?? refused();
    },
    "/api/auth/refresh": async (request) => {
      const [, cookie = ""] = /refresh_token=([^;]*)/.exec(request.headers.get("cookie") ?? "") ?? [];
      return (await refresh(cookie, IP)) ?? refused();
    },
    "/api/members/invitations": signedIn(async (who, request) => invite(who, await body(request), IP)),
    "/api/auth/accept-invitation": signedIn(async (who, request) =>
      accept(who, (await body(request)).token, IP),
    ),
    "/api/notifications/stream": signedIn(open),
    "/api/notifications/test": signedIn(publish),
  },
  fetch: () => new Response(null, { status: 404 }),
});
