import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3Config } from "./config.ts";
import type { Storage } from "./storage.ts";

/** A bucket that does not answer holds a request no longer than this. */
const WAIT_MS = 20_000;
const CHECK_MS = 3_000;

/** Objects in a bucket of S3, or of anything that speaks as it does. */
export function s3Storage(config: S3Config): Storage {
  const { bucket: Bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = config;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null &&
      secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    // Not every server of this kind knows the checksums that are usual by now.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const within = (milliseconds = WAIT_MS) => ({ abortSignal: AbortSignal.timeout(milliseconds) });

  return {
    async put(Key, Body, ContentType) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }), within());
    },
    async get(Key) {
      // Until it begins to answer: how long a reader then takes is up to them.
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
    async check() {
      await client.send(new HeadBucketCommand({ Bucket }), within(CHECK_MS));
      return true;
    },
  };
}
