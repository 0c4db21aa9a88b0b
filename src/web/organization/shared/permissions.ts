import type { Schemas } from "../../../client/index.ts";
import { entityOf } from "../../ui/labels.ts";

type Permission = Schemas["Permission"];

/** Groups permissions by entity, sorted as in the catalog. */
export function byEntity(permissions: readonly Permission[]): [string, Permission[]][] {
  const entities = [...new Set(permissions.map(({ name }) => entityOf(name)))];
  return entities.map((entity) => [entity, permissions.filter(({ name }) => entityOf(name) === entity)]);
}
