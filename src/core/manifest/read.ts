import { readFileSync } from "node:fs";
import type { Violation } from "../../platform/violations.ts";
import { bundled } from "./bundled.ts";
import { checkManifest, type TakenNames } from "./faults.ts";
import type { Product } from "./schema.ts";

const MAX_BYTES = 64 * 1024;

/** The product of this process, if there is one, or the faults of its manifest. */
export type ReadManifest = { product: Product | null; faults: string[] };

/**
 * Reads a manifest. On the edge, where there are no files, it is part of the bundle.
 * @param path null: there is no product
 * @returns the product, or all faults, each beginning with the path of its field, or of the file if it has no content
 */
export function readManifest(
  path: string | null,
  taken: TakenNames,
  options: { http: boolean },
): ReadManifest {
  // workerd gives a variable that is not set another value than none, so the path counts only where there are files.
  if ((bundled === null ? path : bundled.manifest) === null) return { product: null, faults: [] };
  const content = bundled === null ? contentOf(path ?? "") : bundled.manifest;
  if (content instanceof Error) return { product: null, faults: [content.message] };
  const { product, faults } = checkManifest(content, taken, options);
  return { product, faults: faults?.map(sentenceOf) ?? [] };
}

/** A message about an unknown property names it without its path. */
const sentenceOf = ({ path, message }: Violation) =>
  message.startsWith(path) ? message : `${path} should not exist`;

function contentOf(path: string): unknown {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) return new Error(`${path} has more than 64 KB`);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const isJson = error instanceof SyntaxError || error instanceof TypeError;
    return new Error(`${path} ${isJson ? "is not valid JSON" : "cannot be read"}`);
  }
}
