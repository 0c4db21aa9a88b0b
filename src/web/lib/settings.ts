import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useRequest } from "./request.ts";

export type Settings = Schemas["Settings"];

let known: Promise<Settings> | null = null;

/** Returns the public settings of the service. All pages share one request. */
export function useSettings() {
  const client = useClient();
  return useRequest(() => {
    known ??= client.settings().catch((error) => {
      known = null;
      throw error;
    });
    return known;
  });
}

/** Whether people create accounts without an invitation. */
export const mayRegister = ({ registration }: Settings): boolean =>
  registration === "open" || registration === "domains";
