import { useQuery } from "@tanstack/react-query";
import type { Client, Schemas } from "../../../client/index.ts";
import { useCan, useClient } from "../../../client/react.ts";

/** The policies about apps, the narrowest first. */
export const POLICIES = ["off", "approved", "any"] as const;
export type Policy = (typeof POLICIES)[number];

const PAGE_SIZE = 100;

/**
 * Counts the connected apps that end with a narrower policy. Null if none can end, or if the user may not see the apps;
 * undefined while they are counted.
 */
export function useEnding(policy: Policy, chosen: Policy): number | null | undefined {
  const client = useClient();
  const maySee = Boolean(useCan("ConnectedApps.Read", null));
  const isNarrower = POLICIES.indexOf(chosen) < POLICIES.indexOf(policy);
  const isEnabled = maySee && isNarrower;
  const { data, isError } = useQuery({
    queryKey: ["apps that end", chosen],
    queryFn: () => (chosen === "off" ? countAll(client) : countUnapproved(client)),
    enabled: isEnabled,
    staleTime: 0,
  });
  return isEnabled && !isError ? data : null;
}

async function countAll(client: Client): Promise<number> {
  const query = { pageSize: 1 };
  return (await client.request("GET /api/organization/connected-apps", { query })).total;
}

/** Counts those that nothing approves: registered apps are approved, others by their host or their client id. */
async function countUnapproved(client: Client): Promise<number> {
  const { data, operator } = await client.request("GET /api/organization/approved-apps");
  const approved = new Set([...data.map(({ app }) => app), ...operator]);
  const isApproved = ({ id, host, source }: Schemas["ConnectedAppClient"]) =>
    source !== "document" || approved.has(id) || (host !== null && approved.has(host));
  let count = 0;
  const apps = client.rows("GET /api/organization/connected-apps", { query: { pageSize: PAGE_SIZE } });
  for await (const app of apps) if (!isApproved(app.client)) count += 1;
  return count;
}
