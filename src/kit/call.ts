/* The call that a service serves, and its transaction. */

export type { Config } from "../core/config.ts";
export {
  type App,
  type AuthenticatedCall,
  type Call,
  type CrossOrganizationCall,
  type MachineCall,
  type OrganizationCall,
  type Service,
  type SignedInCall,
  systemCall,
  type Tx,
} from "../core/context.ts";
export type { Logger } from "../platform/log.ts";
