import type * as Sdk from "@modelcontextprotocol/server";

let loading: Promise<typeof Sdk> | null = null;

/** Loads the SDK at the first request of an agent: an instance that none calls does not need its memory. */
export const sdk = (): Promise<typeof Sdk> => {
  loading ??= import("@modelcontextprotocol/server");
  return loading;
};
