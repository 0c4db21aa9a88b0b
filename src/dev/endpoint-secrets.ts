import { SQL } from "bun";
import type { Config } from "../core/config.ts";
import { createCipher } from "../platform/crypto.ts";

/** Returns a function that reads the secrets of the webhook endpoints whose URL begins with a given URL. */
export function endpointSecrets(
  databaseUrl: string,
  { jobsKey, jobsKeyPrevious }: Pick<Config, "jobsKey" | "jobsKeyPrevious">,
): (url: string) => Promise<string[]> {
  const cipher = createCipher(jobsKey, "webhooks", jobsKeyPrevious);
  return async (url) => {
    await using sql = new SQL(databaseUrl, { max: 1 });
    const rows = await sql`SELECT unnest(ARRAY[secret, previous_secret]) AS secret FROM webhook_endpoints
      WHERE starts_with(url, ${url}) AND NOT is_deleted`;
    return rows.flatMap(({ secret }: { secret: string | null }) =>
      secret === null ? [] : [cipher.decrypt(secret) as string],
    );
  };
}
