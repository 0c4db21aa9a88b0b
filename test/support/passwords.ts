import { loadEngine } from "../../src/platform/passwords/engine.ts";
import { normalized } from "../../src/platform/passwords/hasher.ts";
import { formatHash } from "../../src/platform/passwords/phc.ts";

/** The least that argon2 can do: a hash is checked at the cost that it names, so its owner signs in quickly. */
const CHEAP = { memoryKiB: 8, passes: 1, lanes: 1 };

const engine = await loadEngine();

/** A hash such as the service stores, which costs a thousandth of what the service's own do, to make and to check. */
export async function cheapHash(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const job = { password: new TextEncoder().encode(normalized(password)), salt, cost: CHEAP, tagBytes: 32 };
  return formatHash({ cost: CHEAP, salt, tag: await engine.derive(job) });
}
