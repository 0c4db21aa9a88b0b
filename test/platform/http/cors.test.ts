import { expect, test } from "bun:test";
import { startService } from "../../support/service.ts";

const WEB = "https://web.test";
const t = await startService({ CORS_ORIGIN: `${WEB}, http://localhost:5173` });
const sameOrigin = await startService();

const preflight = (url: string, origin: string, path = "/api/profile") =>
  fetch(url + path, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type",
    },
  });
const headerNames = (response: Response) => [...response.headers.keys()];
const words = (value: string | null) => (value ?? "").split(",").map((word) => word.trim());

test("a preflight from an origin in CORS_ORIGIN is allowed", async () => {
  for (const origin of [WEB, "http://localhost:5173"]) {
    const response = await preflight(t.url, origin);
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-allow-credentials")).toBe("true");
    expect(words(response.headers.get("access-control-allow-methods"))).toEqual([
      "GET",
      "POST",
      "PATCH",
      "DELETE",
    ]);
    expect(words(response.headers.get("access-control-allow-headers"))).toEqual([
      "Authorization",
      "Content-Type",
      "X-Organization-Id",
      "X-Filter-Unit",
      "X-Filter-Member",
      "X-Request-Id",
      "Idempotency-Key",
    ]);
    expect(words(response.headers.get("vary"))).toContain("Origin");
  }
});

test("an origin in CORS_ORIGIN may read responses and errors, with credentials", async () => {
  for (const path of ["/api/health/live", "/api/profile", "/api/nowhere"]) {
    const { headers } = await fetch(t.url + path, { headers: { origin: WEB } });
    expect(headers.get("access-control-allow-origin")).toBe(WEB);
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(words(headers.get("access-control-expose-headers"))).toEqual([
      "X-Request-Id",
      "Retry-After",
      "Content-Disposition",
      "Idempotent-Replayed",
      "RateLimit",
      "RateLimit-Policy",
    ]);
    expect(words(headers.get("vary"))).toContain("Origin");
  }
});

test("an origin that is not in CORS_ORIGIN gets no CORS headers", async () => {
  const others = [
    "https://evil.test",
    "null",
    "https://web.test.evil.test",
    "http://web.test",
    "https://WEB.test",
  ];
  for (const origin of others) {
    for (const response of [
      await preflight(t.url, origin),
      await fetch(`${t.url}/api/health/live`, { headers: { origin } }),
    ]) {
      expect(headerNames(response).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(words(response.headers.get("vary"))).toContain("Origin");
    }
  }
});

test("every response has `Vary: Origin`, even without an origin in the request", async () => {
  const response = await fetch(`${t.url}/api/health/live`);
  expect(words(response.headers.get("vary"))).toContain("Origin");
  expect(response.headers.has("access-control-allow-origin")).toBe(false);
});

test("without CORS_ORIGIN no response has CORS headers", async () => {
  const asked = await preflight(sameOrigin.url, WEB);
  expect(asked.status).toBe(404);
  for (const response of [
    asked,
    await fetch(`${sameOrigin.url}/api/health/live`, { headers: { origin: WEB } }),
  ]) {
    expect(headerNames(response).filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
  }
});

test("OPTIONS without preflight headers is 404, like any unknown method", async () => {
  const response = await fetch(`${t.url}/api/profile`, { method: "OPTIONS", headers: { origin: WEB } });
  expect(response.status).toBe(404);
});
