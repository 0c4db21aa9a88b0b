/** The manifest that `bun run build:edge` puts into the bundle, null in it without a product; null elsewhere. */
export const bundled: { manifest: unknown } | null = null as { manifest: unknown } | null;
