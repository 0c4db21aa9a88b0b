import { newApiKey } from "../../src/core/access/token-forms.ts";
import { theProduct } from "../../src/core/manifest/current.ts";
import { synchronizeBuiltInRoles } from "../../src/features/roles/built-in.ts";
import { Caller, type Options } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { type Service, startService } from "./service.ts";

export const PRODUCT_KEY = newApiKey("mosp");

/** The product whose code runs elsewhere: sends its key, and by default a new idempotency key. */
export class ProductCaller extends Caller {
  override accessToken: string | null = PRODUCT_KEY;

  changes(body: unknown, { headers = {}, ...options }: Options = {}) {
    const key = { "idempotency-key": crypto.randomUUID() };
    return this.post("/api/product/changes", body, { ...options, headers: { ...key, ...headers } });
  }
  /** Calls a route of an organization. */
  in(organizationId: string, path: string) {
    return this.get(path, { headers: { "x-organization-id": organizationId } });
  }
}

/** Starts a service with the product of `examples/inspections`, whose names the built-in roles have, too. */
export async function startProduct(
  overrides: Environment = {},
  options?: Parameters<typeof startService>[1],
): Promise<{ t: Service; product: ProductCaller }> {
  if (theProduct() === null)
    throw new Error("These tests have processes of their own: bun run test product-api");
  const t = await startService({ PRODUCT_KEY, ...overrides }, options);
  // The database may have been made in a process that has the product, too.
  await synchronizeBuiltInRoles(t.databaseUrl);
  return { t, product: new ProductCaller(t.url) };
}
