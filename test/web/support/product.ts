import { afterAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../examples/inspections/product.json" with { type: "json" };
import { ofProcess, readProduct } from "../../../src/app/features.ts";
import { setProduct } from "../../../src/core/manifest/current.ts";

/** Texts that would end an attribute, a script or a placeholder, or be markup. */
export const HOSTILE = `</script><img src=x onerror="document.title=1">{__proto__} "'&quot;{constructor}`;

/** The texts of the product, in Greek too, and a second page; the names stay those of the manifest of the example. */
const texts = {
  permissions: {
    ...manifest.permissions,
    "Inspections.Read": { scope: "unit", text: { en: "See inspections", el: "Προβολή" }, member: true },
    "Inspections.Delete": { scope: "unit", text: { en: HOSTILE } },
  },
  limits: {
    inspections: { text: { en: "Inspections a month", el: "Επιθεωρήσεις τον μήνα" }, per: "month" },
  },
  features: { inspectionReports: { text: { en: `Reports ${HOSTILE}`, el: "Αναφορές" } } },
  events: {
    "inspection.completed": {
      permission: "Inspections.Read",
      text: { en: `Completed ${HOSTILE}`, el: "Ολοκληρώθηκε" },
    },
  },
  pages: [
    {
      path: "/",
      text: { en: "Inspections", el: "Επιθεωρήσεις" },
      permission: "Inspections.Read",
      feature: "inspectionReports",
    },
    { path: "/archive", text: { en: HOSTILE, el: "Αρχείο" }, permission: "Inspections.Delete" },
  ],
};

/**
 * Starts a small server that stands for the product's pages, below `/inspections`, and for the proxy in front of the
 * service. The product of this process gets this address and these texts until the file ends.
 */
export function startSite() {
  if (ofProcess.product === null)
    throw new Error("These tests have processes of their own: bun run test web/product");
  let service = "";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request) {
      const { pathname, search, origin } = new URL(request.url);
      if (pathname.startsWith("/inspections")) return pageOf(origin, pathname + search);
      return fetch(new Request(service + pathname + search, request), { redirect: "manual" });
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const folder = mkdtempSync(join(tmpdir(), "product-"));
  const path = join(folder, "product.json");
  writeFileSync(path, JSON.stringify({ ...manifest, ...texts, url: `${origin}/inspections` }));
  const { product, faults } = readProduct(path, true);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  setProduct(product);
  afterAll(async () => {
    setProduct(ofProcess.product);
    rmSync(folder, { recursive: true });
    await server.stop(true);
  });
  return {
    origin,
    url: `${origin}/inspections`,
    to(url: string) {
      service = url;
    },
  };
}

/** A page of the product: it says its address, and has a link for people who are not signed in. */
function pageOf(origin: string, address: string): Response {
  const href = `/sign-in?next=${encodeURIComponent(origin + address)}`;
  const body = `<title>Product</title><h1>${Bun.escapeHTML(address)}</h1><a href="${href}">Sign in</a>`;
  return new Response(`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${body}`, {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}
