import { isToken } from "#kit";
import { cookieFrom } from "../../platform/http/headers.ts";

const NAME = "refresh_token";

/** Returns the refresh token of a request; null if it is missing or malformed. */
export function refreshTokenFrom(request: Request): string | null {
  const sent = cookieFrom(request.headers, NAME);
  return sent !== null && isToken(sent) ? sent : null;
}

/** Returns the cookie of a session (rules 5.1): not accessible to scripts, sent only to /api/auth. */
export function refreshCookie(
  token: string,
  { maxAgeSeconds, secure }: { maxAgeSeconds: number; secure: boolean },
) {
  const attributes = `Path=/api/auth; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return { "set-cookie": `${NAME}=${token}; ${attributes}` };
}

export const clearedRefreshCookie = (secure: boolean) => refreshCookie("", { maxAgeSeconds: 0, secure });
