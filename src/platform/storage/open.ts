import type { StorageConfig } from "./config.ts";
import type { ListableStorage } from "./storage.ts";

/** Opens the configured storage. The S3 client takes more than ten megabytes of memory, so it is loaded only if used. */
export async function openStorage({ driver, directory, s3 }: StorageConfig): Promise<ListableStorage> {
  if (driver === "local") {
    const { localStorage } = await import("./local.ts");
    return localStorage(directory);
  }
  const { s3Storage } = await import("./s3.ts");
  return s3Storage(s3);
}
