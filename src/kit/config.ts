/* The configuration of a feature, from environment variables. */

export {
  commaSeparated,
  configSection,
  integer,
  isListOf,
  isProduction,
  isUrl,
  missingVariables,
  type RawEnvironment,
  rejectUnchangedPreviousKey,
  secret,
  url,
  warnOfPreviousKey,
} from "../platform/environment.ts";
