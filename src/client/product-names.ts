/**
 * What the types read of a product's manifest: its names. Pass the manifest of `PRODUCT_FILE` as an object `as const`,
 * or as an imported JSON file.
 */
export type Manifest = {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly features?: Readonly<Record<string, unknown>>;
  readonly audit?: Readonly<Record<string, unknown>>;
  readonly events?: Readonly<Record<string, unknown>>;
  readonly notifications?: Readonly<Record<string, unknown>>;
};

/** The names in a part of a manifest: any string without a manifest, none if the manifest does not have the part. */
export type Name<M extends Manifest, Part extends keyof Manifest> = Part extends keyof M
  ? keyof NonNullable<M[Part]> & string
  : never;
