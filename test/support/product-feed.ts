import { relay } from "./outgoing-events.ts";
import { PRODUCT_KEY, ProductCaller } from "./product.ts";
import { expectStatus, type Service, startService } from "./service.ts";

export type Entry = {
  id: string;
  type: string;
  timestamp: string;
  organizationId: string | null;
  object: Record<string, unknown>;
  previous?: Record<string, unknown>;
  reason?: string;
};
type Page = { data: Entry[]; cursor: string; hasMore: boolean };

export const FEED = "/api/product/feed";
type Query = { after?: string; wait?: number; pageSize?: number; [other: string]: unknown };
const textOf = (query: Query) =>
  Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);

/** Calls the feed with these parameters. */
export const follow = (product: ProductCaller, query: Query = {}) =>
  product.get(`${FEED}?${textOf(query).join("&")}`);

/** A page of the feed. */
export const feedPage = async (product: ProductCaller, query: Query = {}): Promise<Page> =>
  expectStatus(await follow(product, query), 200).body;

/** The cursor of the end of the feed. */
export const latest = async (product: ProductCaller) => (await feedPage(product, { after: "latest" })).cursor;

/** All entries after a cursor that are stored now, and the cursor after them. */
export async function entriesAfter(product: ProductCaller, cursor: string | null) {
  const entries: Entry[] = [];
  let after = cursor;
  for (;;) {
    const page = await feedPage(product, { ...(after !== null && { after }), pageSize: 100 });
    entries.push(...page.data);
    after = page.cursor;
    if (!page.hasMore) return { entries, cursor: after };
  }
}

/** Returns the entries that some work causes. */
export async function entriesOf(
  t: Service,
  product: ProductCaller,
  work: () => Promise<unknown>,
): Promise<Entry[]> {
  await relay(t);
  const cursor = await latest(product);
  await work();
  await relay(t);
  return (await entriesAfter(product, cursor)).entries;
}

/** Starts a further service of the product, with the database of another one. */
export async function startBeside(
  { databaseUrl }: Service,
  overrides: Parameters<typeof startService>[0] = {},
  options: Parameters<typeof startService>[1] = {},
) {
  const t = await startService({ PRODUCT_KEY, ...overrides }, { databaseUrl, ...options });
  return { t, product: new ProductCaller(t.url) };
}
