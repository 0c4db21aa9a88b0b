/**
 * The paths of mailed links with a token in the query. Who has a token may use it, so logs must not contain the query of
 * these paths: docs/deploy/nginx.conf and the documents for operators name each of them.
 */
export const TOKEN_PATHS = [
  "/verify-email",
  "/reset-password",
  "/accept-invitation",
  "/confirm-email-change",
  "/cancel-email-change",
  "/undo-email-change",
  "/sign-on-setup",
] as const;

/** Returns a link of a mail, relative to `APP_URL`. */
export const tokenLink = (path: (typeof TOKEN_PATHS)[number], token: string) =>
  `${path}?token=${encodeURIComponent(token)}`;
