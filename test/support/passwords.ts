import { normalized } from "../../src/platform/passwords/hasher.ts";
import { formatHash } from "../../src/platform/passwords/phc.ts";
import { loadEngine } from "../../src/platform/passwords/threads.ts";

/** The minimum cost of Argon2. A hash is verified at the cost that is stored in it, so signing in is fast. */
const CHEAP = { memoryKiB: 8, passes: 1, lanes: 1 };

const engine = await loadEngine();

/**
 * Returns a password hash in the service's format that is a thousand times as fast to create and verify as a real
 * one.
 */
export async function cheapHash(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const job = { password: new TextEncoder().encode(normalized(password)), salt, cost: CHEAP, tagBytes: 32 };
  return formatHash({ cost: CHEAP, salt, tag: await engine.derive(job) });
}
