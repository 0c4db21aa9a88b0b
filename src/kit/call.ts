/* The call that a service serves, and its transaction. */

export type { Config } from "../core/config.ts";
export {
  type App,
  type AppCall,
  type AuthenticatedCall,
  type Call,
  type CrossOrganizationCall,
  type MachineCall,
  type OrganizationCall,
  type ProductCall,
  type Service,
  type SignedInCall,
  systemCall,
  type Tx,
} from "../core/context.ts";
export { timersOutliveRequests as waitsInRequests } from "../platform/db/deadlines.ts";
export type { Logger } from "../platform/log.ts";
