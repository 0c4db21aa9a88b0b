import { promises as dns } from "node:dns";

/** Returns all IP addresses of a host name; an empty list if it has none. @throws if no DNS server responds */
export type ResolveAll = (name: string) => Promise<string[]>;

const NO_RECORDS = new Set(["ENODATA", "ENOTFOUND", "DNS_ENODATA", "DNS_ENOTFOUND"]);

/**
 * Creates a function that asks DNS for all A and AAAA records of a host name. The queries occupy no thread, so slow
 * DNS servers of one name do not delay other work.
 * @param servers DNS servers instead of those of the system
 * @param hosts whether names without records are looked up as the system does, for example in its hosts file
 */
export function resolveAllWith({ servers, hosts }: { servers: string[] | null; hosts: boolean }): ResolveAll {
  return async (name) => {
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== null) resolver.setServers(servers);
    const records = async (find: (name: string) => Promise<string[]>) => {
      try {
        return await find.call(resolver, name);
      } catch (error) {
        if (NO_RECORDS.has((error as { code?: string }).code ?? "")) return [];
        throw error;
      }
    };
    const found = (await Promise.all([records(resolver.resolve4), records(resolver.resolve6)])).flat();
    if (found.length > 0 || !hosts) return found;
    const known = await dns.lookup(name, { all: true }).catch(() => []);
    return known.map(({ address }) => address);
  };
}
