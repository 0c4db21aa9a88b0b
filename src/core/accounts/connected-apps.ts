import * as accounts from "#sql/people/accounts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { operatorOf } from "../access/app-operator.ts";
import type { App } from "../context.ts";

/** Returns how many apps act for a person: a changed password or email does not end them, so its mail says it. */
export async function countConnectedApps(
  { app, db }: { app: App; db: Queryable },
  userId: string,
): Promise<number> {
  if (!app.config.oauth) return 0;
  const operator = operatorOf(app.config);
  return exactlyOne(await accounts.countConnectedAppsOfUser.run({ userId, operator }, db)).count;
}
