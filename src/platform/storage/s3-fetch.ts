import { AwsClient } from "aws4fetch";
import { boundedObject } from "./bounded-object.ts";
import type { S3Config } from "./config.ts";
import type { MarkableStorage } from "./marked.ts";

const WAIT_MS = 20_000;
const CHECK_MS = 3_000;
const RETRIES = 2;

/**
 * Stores objects in a bucket of S3, or of an S3-compatible server, with `fetch` alone. The AWS SDK takes most of a
 * second to load, and searches for credentials in places that only servers have.
 * @throws if the configuration has no credentials
 */
export function s3FetchStorage(config: S3Config): MarkableStorage {
  const { bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = config;
  if (accessKeyId === null || secretAccessKey === null)
    throw new Error(
      "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set: nothing else gives credentials here",
    );
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES });
  const root = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (forcePathStyle) root.pathname = `${root.pathname.replace(/\/$/, "")}/${bucket}`;
  else root.hostname = `${bucket}.${root.hostname}`;
  const address = root.href.replace(/\/$/, "");

  async function ask(method: string, key: string, options: RequestInit, milliseconds = WAIT_MS) {
    const signal = AbortSignal.timeout(milliseconds);
    const response = await client.fetch(`${address}/${key}`, { method, signal, ...options });
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status === 404) return null;
    throw new Error(`The storage returned ${response.status} for ${method}`);
  }

  return {
    async put(key, bytes, contentType) {
      const body = bytes as Uint8Array<ArrayBuffer>;
      const stored = await ask("PUT", key, { body, headers: { "content-type": contentType } });
      if (stored === null) throw new Error("The bucket does not exist");
      await stored.body?.cancel();
    },
    async get(key, size) {
      // The timeout ends when the response starts; then the object has limits of its own.
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(), WAIT_MS);
      try {
        const object = (await ask("GET", key, { signal: waiting.signal }))?.body ?? null;
        return object && boundedObject(object, size);
      } finally {
        clearTimeout(timer);
      }
    },
    async delete(key) {
      await (await ask("DELETE", key, {}))?.body?.cancel();
    },
    async has(key) {
      return (await ask("HEAD", key, {})) !== null;
    },
    async check() {
      if ((await ask("HEAD", "", {}, CHECK_MS)) === null) throw new Error("The bucket does not exist");
      return true;
    },
  };
}
