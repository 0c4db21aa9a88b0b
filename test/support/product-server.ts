import { generateKeyPairSync, sign } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { createProductIn, type ProductOptions } from "../../src/client/product.ts";

/* A product's client in front of a small server that answers as the service does, with keys and a clock of the test. */

export const PRODUCT_KEY = "mosp_test";
export const ORGANIZATION = { id: crypto.randomUUID(), name: "Acme", slug: "acme" };

/** Creates a signing key; `sign` signs claims by ES256, with other fields of the header. */
export async function newSigningKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { d: _, ...bare } = privateKey.export({ format: "jwk" });
  const kid = await calculateJwkThumbprint(bare as never);
  const jwk = { ...bare, kid, use: "sig", alg: "ES256" };
  return {
    kid,
    jwk,
    pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    sign(claims: object, header: object = {}): string {
      const parts = [{ alg: "ES256", typ: "JWT", kid, ...header }, claims];
      const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return `${signed}.${signature.toString("base64url")}`;
    },
  };
}

/** Returns the claims of an access token of this issuer; they expire at this time in milliseconds. */
export const claimsFor = (issuer: string, expiresAt: number, others: object = {}) => ({
  sub: crypto.randomUUID(),
  sid: crypto.randomUUID(),
  iss: issuer,
  aud: "api",
  iat: Math.floor(expiresAt / 1000) - 900,
  exp: Math.floor(expiresAt / 1000),
  isPlatformAdmin: false,
  organization: ORGANIZATION,
  roles: ["MEMBER"],
  permissions: [],
  unitGrants: [],
  ...others,
});

/** Returns what the service answers to a check. */
export const activeCheck = (others: object = {}) => ({
  active: true,
  actor: {
    type: "user",
    id: crypto.randomUUID(),
    email: "mia@example.com",
    name: "Mia",
    language: "en",
    isPlatformAdmin: false,
  },
  organization: { ...ORGANIZATION, plan: null, features: [] },
  permissions: [],
  unitGrants: [],
  authenticatedAt: null,
  cacheSeconds: 30,
  ...others,
});

export const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode: status, code, message: "No", requestId: "x" }, { status, headers });

type Seen = { method: string; path: string; query: Record<string, string>; headers: Headers; body: unknown };
type Answer = (request: Seen) => Response | Promise<Response>;

/** Starts a server that answers by route, such as `POST /api/product/check`; everything else is 404. */
export function startProductServer(routes: Record<string, Answer>) {
  const requests: Seen[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const text = await request.text();
      const seen = {
        method: request.method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: request.headers,
        body: text === "" ? null : JSON.parse(text),
      };
      requests.push(seen);
      return (await routes[`${request.method} ${pathname}`]?.(seen)) ?? failure(404, "NOT_FOUND");
    },
  });
  return {
    url: server.url.origin,
    requests,
    to: (path: string) => requests.filter((request) => request.path === path),
    stop: () => server.stop(true),
  };
}

/** Creates a product's client with a clock that the test moves. Pauses are recorded and skipped. */
export function productAt(url: string, options: Partial<ProductOptions> = {}) {
  const clock = { now: Date.now() };
  const pauses: number[] = [];
  const environment = {
    random: () => 1,
    wall: () => clock.now,
    after(milliseconds: number, run: () => void) {
      // Longer ones are timeouts of requests.
      const isPause = milliseconds < 5_000;
      if (isPause) pauses.push(milliseconds / 1000);
      const timer = isPause ? setTimeout(run, 0) : undefined;
      return () => clearTimeout(timer);
    },
  };
  const product = createProductIn(environment, { baseUrl: url, key: PRODUCT_KEY, ...options });
  return { product, clock, pauses };
}
