import type { App } from "#kit";

/** Returns the page of the console at which a sign-in by a connection begins: the address for a tile at the provider. */
export const startPageOf = ({ config }: Pick<App, "config">, id: string): string =>
  `${config.appUrl}/sso/${id}`;
