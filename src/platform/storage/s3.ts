import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { boundedObject } from "./bounded-object.ts";
import type { S3Config } from "./config.ts";
import { type CallOptions, s3Requests } from "./s3-requests.ts";
import type { ListableStorage } from "./storage.ts";

/** The timeout of a request to the bucket. */
const WAIT_MS = 20_000;
const CHECK_MS = 3_000;
/** What the headers and the framing of an object may take, besides as many bytes as the object. */
const FRAMING_BYTES = 64 * 1024;
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
    requestHandler: s3Requests,
  });
  let probedUntil = Number.NEGATIVE_INFINITY;
  const within = (milliseconds = WAIT_MS) => ({ abortSignal: AbortSignal.timeout(milliseconds) });

  return {
    async put(Key, Body, ContentType) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }), within());
    },
    async get(Key, size) {
      // The timeout ends when the response starts; then the object has limits of its own.
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(), WAIT_MS);
      try {
        const options: CallOptions = { abortSignal: waiting.signal, maxBytes: FRAMING_BYTES + 2 * size };
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), options);
        const object = Body?.transformToWebStream() as ReadableStream<Uint8Array> | undefined;
        return object === undefined ? null : boundedObject(object, size);
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
      let ContinuationToken: string | undefined;
      do {
        const page = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
        const { Contents = [], NextContinuationToken } = await client.send(page, within());
        yield Contents.map(({ Key: key = "", LastModified = new Date() }) => ({
          key,
          modifiedAt: LastModified,
        }));
        ContinuationToken = NextContinuationToken;
      } while (ContinuationToken !== undefined);
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
