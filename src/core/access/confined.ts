import type { UserActor } from "./access.ts";

/** No organization has this id. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the organization to which a session is confined that was only proven by connections (rules 38): of its account it sees
 * only what belongs there. Null if the session is not confined; an id that no organization has if it acts in none.
 */
export const confinedTo = ({ claims }: Pick<UserActor, "claims">): string | null =>
  claims.confined ? (claims.organization?.id ?? NOWHERE) : null;
