import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { Config } from "../config.ts";

/** Where files lie with the local driver: the configured directory, in development a temporary one. */
export const localDirectory = (storage: Config["storage"]) =>
  storage.directory ?? join(tmpdir(), "multi-organization-service");

/** Whether files could be written now: answers true, or throws what stands in the way. */
export function storageCheck({ storage }: Config): () => Promise<boolean> {
  if (storage.driver === "local") {
    const directory = localDirectory(storage);
    return async () => {
      await mkdir(directory, { recursive: true });
      await access(directory, constants.W_OK);
      return true;
    };
  }
  const { bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = storage.s3;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null &&
      secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: 1,
  });
  return async () => {
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(3_000) });
    return true;
  };
}
