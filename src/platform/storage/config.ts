import { z } from "zod";
import {
  configSection,
  flag,
  isProduction,
  missingVariables,
  type RawEnvironment,
  url,
} from "../environment.ts";

/** A bucket of S3, or of a compatible server. */
export type S3Config = {
  bucket: string;
  region: string;
  endpoint: string | null;
  forcePathStyle: boolean;
  /** The access key; null if the AWS SDK finds credentials itself. */
  accessKeyId: string | null;
  secretAccessKey: string | null;
};

/** Where files are stored: in a local directory or a bucket. */
export type StorageConfig = {
  driver: "local" | "s3";
  /** The directory of the local storage; null for a temporary one. */
  directory: string | null;
  s3: S3Config;
};

/** The configuration of the file storage. */
export const storageConfig = configSection({
  variables: {
    STORAGE_DRIVER: z.enum(["local", "s3"]).default("local"),
    STORAGE_DIR: z.string().optional(),
    S3_BUCKET: z.string().optional(),
    S3_REGION: z.string().optional(),
    S3_ENDPOINT: url(["http:", "https:"]).optional(),
    S3_FORCE_PATH_STYLE: flag.default(false),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
  },
  secrets: ["S3_SECRET_ACCESS_KEY"],
  check: (raw) => [
    ...(raw.S3_ACCESS_KEY_ID
      ? missingVariables(raw, ["S3_SECRET_ACCESS_KEY"], "beside S3_ACCESS_KEY_ID")
      : []),
    ...(raw.S3_SECRET_ACCESS_KEY
      ? missingVariables(raw, ["S3_ACCESS_KEY_ID"], "beside S3_SECRET_ACCESS_KEY")
      : []),
    ...checkDriver(raw),
  ],
  read: (env): StorageConfig => ({
    driver: env.STORAGE_DRIVER,
    directory: env.STORAGE_DIR ?? null,
    s3: {
      bucket: env.S3_BUCKET ?? "",
      region: env.S3_REGION ?? "",
      endpoint: env.S3_ENDPOINT ?? null,
      forcePathStyle: env.S3_FORCE_PATH_STYLE,
      accessKeyId: env.S3_ACCESS_KEY_ID ?? null,
      secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? null,
    },
  }),
});

function checkDriver(raw: RawEnvironment): string[] {
  const driver = raw.STORAGE_DRIVER ?? "local";
  if (driver === "s3") return missingVariables(raw, ["S3_BUCKET", "S3_REGION"], "with STORAGE_DRIVER=s3");
  if (driver !== "local" || !isProduction(raw)) return [];
  if (!raw.STORAGE_DIR)
    return missingVariables(raw, ["STORAGE_DIR"], "in production with the local storage driver");
  return raw.STORAGE_DIR.startsWith("/") ? [] : ["STORAGE_DIR must be an absolute path in production"];
}
