import type { Config } from "../../app/config.ts";
import type { Storage } from "./storage.ts";

/** The storage that the configuration names. The S3 client takes more than ten megabytes, so it is loaded where it is used. */
export async function openStorage({ storage }: Config): Promise<Storage> {
  if (storage.driver === "local") {
    const { localStorage } = await import("./local.ts");
    return localStorage(storage.directory);
  }
  const { s3Storage } = await import("./s3.ts");
  return s3Storage(storage.s3);
}
