import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { urlConflict } from "../core/manifest/warnings.ts";

/** The key of the product in development. It is public, so it opens nothing elsewhere. */
const PRODUCT_KEY = "mosp_OnlyForDevelopment0OnlyForDevelopment0000lLOtn";

/** The product in development: its key, and which path of the origin is forwarded to it. */
export type DevelopmentProduct = { key: string; path: string; at: string | null };

type Wanted = { file: string; at: string | null; url: string; data: string };

/**
 * Prepares the environment for a product. Its pages have the origin of console and API, so that one sign-in is enough: the
 * service gets a copy of the manifest with that origin. Access tokens are signed by a key of the data folder, so that the
 * product can verify them. Call it before any module that reads the manifest is loaded.
 * @throws Error if the manifest cannot be read, or if its path is one of the service although it is forwarded; its other faults end the start of the service
 */
export async function prepareProduct({ file, at, url, data }: Wanted): Promise<DevelopmentProduct> {
  const manifest = await Bun.file(file)
    .json()
    .catch((error) => {
      throw new Error(`${file} cannot be read: ${error.message}`);
    });
  const path = pathOf(manifest?.url);
  const isForwarded = at !== null && URL.canParse(manifest?.url);
  const conflict = isForwarded ? urlConflict({ url: `${url}${path ?? "/"}` }) : null;
  if (conflict !== null)
    throw new Error(`${file}: ${conflict}; in development the service has the rest of the origin`);
  await mkdir(data, { recursive: true });
  if (path !== null) manifest.url = `${url}${path}`;
  const copy = join(data, "product.json");
  await Bun.write(copy, JSON.stringify(manifest));
  process.env.PRODUCT_FILE = copy;
  process.env.PRODUCT_KEY ??= PRODUCT_KEY;
  process.env.JWT_SIGNING_KEY ??= await signingKey(join(data, "signing-key.json"));
  return { key: process.env.PRODUCT_KEY, path: path ?? "/", at };
}

/** Says that nothing listens where requests of the product are forwarded to, in the terminal too; returns the text. */
export function reportUnreachable(at: string): string {
  const message = `The product does not respond at ${at}: start it there, or correct --product-at`;
  console.error(message);
  return message;
}

/** Returns the path of the product's URL without a slash at its end; null if it has none of its own. */
function pathOf(url: unknown): string | null {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  return new URL(url).pathname.replace(/\/+$/, "") || null;
}

async function signingKey(file: string): Promise<string> {
  if (await Bun.file(file).exists()) return Bun.file(file).text();
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const { kty, crv, x, y, d } = await exportJWK(privateKey);
  const key = JSON.stringify({ kty, crv, x, y, d });
  await writeFile(file, key, { mode: 0o600 });
  return key;
}
