/* The configuration of a feature, from environment variables. */

export {
  commaSeparated,
  configSection,
  integer,
  isProduction,
  secret,
  url,
} from "../platform/environment.ts";
