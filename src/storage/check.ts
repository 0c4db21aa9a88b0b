import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  let check: Promise<() => Promise<unknown>> | null = null;
  return async () => {
    check ??= bucketCheck(storage.s3);
    await (await check)();
    return true;
  };
}

/** The S3 client takes more than ten megabytes, so it is only loaded where it is used. */
async function bucketCheck(s3: Config["storage"]["s3"]) {
  const { HeadBucketCommand, S3Client } = await import("@aws-sdk/client-s3");
  const { bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null &&
      secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: 1,
  });
  return () =>
    client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(3_000) });
}
