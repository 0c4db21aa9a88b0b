import { MAX_SESSIONS } from "./invariants.ts";
import { newBrowser, PASSWORD } from "./people.ts";
import { MEMBERS, pickPerson, type Weighted } from "./work-context.ts";

/**
 * The number of concurrent sign-ins. It is more than the maximum number of sessions. The service also limits the
 * waiting password checks of an email.
 */
const BROWSERS = 14;

/**
 * Work on accounts: changes of names, which memberships repeat, and sign-ins up to the maximum number of sessions.
 */
export const ACCOUNT_WORK: Weighted = [
  [
    4,
    async (w, random, text) => {
      const person = pickPerson(w, random, ...MEMBERS);
      const body = { firstName: `First ${text}`, lastName: `Last ${text}` };
      await w.client.send(person, random(1_000), { method: "PATCH", path: "/api/profile", body }, [200]);
    },
  ],
  [
    2,
    async (w, random) => {
      const multiBrowser = pickPerson(w, random, "multiBrowser");
      const body = { email: multiBrowser.email, password: PASSWORD };
      const request = { method: "POST", path: "/api/auth/login", body };
      await Promise.all(
        Array.from({ length: BROWSERS }, () =>
          w.client.send({ ...newBrowser(multiBrowser), token: "" }, random(1_000), request, [200, 429]),
        ),
      );
      const [row] = await w.sql(
        `SELECT count(*)::int AS sessions FROM refresh_tokens
         WHERE user_id = '${multiBrowser.id}' AND revoked_at IS NULL AND expires_at > now()`,
      );
      if (Number(row?.sessions) > MAX_SESSIONS)
        w.violations.push(
          `${row?.sessions} sessions of one person after sign-ins at once, the cap is ${MAX_SESSIONS}`,
        );
    },
  ],
];
