/** The manifest that `bun run build:edge` puts into the bundle; null elsewhere. */
export const bundled: unknown = null;
