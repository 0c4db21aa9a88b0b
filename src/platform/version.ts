import { version } from "../../package.json";

/** The version of the running code: the release, such as `1.0.0` (see CHANGELOG.md), and its commit. */
export type Build = { version: string; revision: string };

export { version };

/** @param environment the environment variables, which contain the commit from which the image was built */
export const buildOf = (environment: Record<string, string | undefined>): Build => ({
  version,
  revision: environment.SERVICE_REVISION || "unknown",
});
