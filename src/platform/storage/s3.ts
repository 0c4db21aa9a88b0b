import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3Config } from "./config.ts";
import type { ListableStorage } from "./storage.ts";

/** The timeout of a request to the bucket. */
const WAIT_MS = 20_000;
const CHECK_MS = 3_000;
/** The object that health checks overwrite, to test whether writing works. */
const PROBE = "probe";
/**
 * The interval of health checks that write an object; writes cost more than reads. After a failed write each check
 * writes.
 */
const BETWEEN_PROBES_MS = 300_000;

/** Stores objects in a bucket of S3, or of an S3-compatible server. */
export function s3Storage(config: S3Config): ListableStorage {
  const { bucket: Bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = config;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null &&
      secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    // The SDK's default checksums are switched off, because not every S3-compatible server supports them.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  let probedUntil = Number.NEGATIVE_INFINITY;
  const within = (milliseconds = WAIT_MS) => ({ abortSignal: AbortSignal.timeout(milliseconds) });

  return {
    async put(Key, Body, ContentType) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }), within());
    },
    async get(Key) {
      // The timeout ends when the response starts; the time that the client takes to read it is not limited.
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(), WAIT_MS);
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), {
          abortSignal: waiting.signal,
        });
        return (Body?.transformToWebStream() as ReadableStream<Uint8Array> | undefined) ?? null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async delete(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }), within());
    },
    async has(Key) {
      try {
        await client.send(new HeadObjectCommand({ Bucket, Key }), within());
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        throw error;
      }
    },
    async *list(Prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        yield Contents.map(({ Key: key = "", LastModified = new Date() }) => ({
          key,
          modifiedAt: LastModified,
        }));
      }
    },
    async check() {
      // Writes the probe object only from time to time. In between, reading the marker shows that the bucket
      // responds.
      if (performance.now() < probedUntil) return true;
      await client.send(new PutObjectCommand({ Bucket, Key: PROBE, Body: "" }), within(CHECK_MS));
      probedUntil = performance.now() + BETWEEN_PROBES_MS;
      return true;
    },
  };
}
