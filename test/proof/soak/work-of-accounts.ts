import { MAX_SESSIONS } from "./invariants.ts";
import { browserOf, PASSWORD } from "./people.ts";
import { ANYBODY, being, type Weighted } from "./workplace.ts";

/** More than a user may have sessions; the service also limits password checks of one email that wait. */
const BROWSERS = 14;

/** Changes of accounts that many rows follow: names, and sessions up to their cap. */
export const OF_ACCOUNTS: Weighted = [
  [
    4,
    async (w, random, text) => {
      const person = being(w, random, ...ANYBODY);
      const body = { firstName: `First ${text}`, lastName: `Last ${text}` };
      await w.client.send(person, random(1_000), { method: "PATCH", path: "/api/profile", body }, [200]);
    },
  ],
  [
    2,
    async (w, random) => {
      const nomad = being(w, random, "nomad");
      const body = { email: nomad.email, password: PASSWORD };
      const request = { method: "POST", path: "/api/auth/login", body };
      await Promise.all(
        Array.from({ length: BROWSERS }, () =>
          w.client.send({ ...browserOf(nomad), token: "" }, random(1_000), request, [200, 429]),
        ),
      );
      const [row] = await w.sql(
        `SELECT count(*)::int AS sessions FROM refresh_tokens
         WHERE user_id = '${nomad.id}' AND revoked_at IS NULL AND expires_at > now()`,
      );
      if (Number(row?.sessions) > MAX_SESSIONS)
        w.found.push(
          `${row?.sessions} sessions of one person after sign-ins at once, the cap is ${MAX_SESSIONS}`,
        );
    },
  ],
];
