import type { QueryClient } from "@tanstack/react-query";
import type { Endpoint } from "../../client/index.ts";
import { queryKey } from "../../client/react.ts";

export async function invalidate(queries: QueryClient, endpoints: readonly Endpoint[] = []): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => queries.invalidateQueries({ queryKey: queryKey(endpoint) })));
}
