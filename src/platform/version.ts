import { version } from "../../package.json";

/** Which code runs: the release, such as `1.0.0` (CHANGELOG.md says what each one changes), and its commit. */
export type Build = { version: string; revision: string };

export { version };

/** @param environment in which the image names the commit that it was built from */
export const buildOf = (environment: Record<string, string | undefined>): Build => ({
  version,
  revision: environment.SERVICE_REVISION || "unknown",
});
