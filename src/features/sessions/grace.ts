/** How long a refresh token that was just replaced still gets an access token, so that parallel tabs go on (rules 5.7). */
export const REFRESH_GRACE_SECONDS = 30;
