/**
 * The seconds during which a replaced refresh token still gets an access token, for browser tabs that refresh at
 * the same time (rules 5.7).
 */
export const REFRESH_GRACE_SECONDS = 30;
