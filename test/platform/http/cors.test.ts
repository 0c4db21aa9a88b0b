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
    const answer = await preflight(t.url, origin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(words(answer.headers.get("access-control-allow-methods"))).toEqual([
      "GET",
      "POST",
      "PATCH",
      "DELETE",
    ]);
    expect(words(answer.headers.get("access-control-allow-headers"))).toEqual([
      "Authorization",
      "Content-Type",
      "X-Organization-Id",
      "X-Filter-Unit",
      "X-Filter-Member",
      "X-Request-Id",
      "Idempotency-Key",
    ]);
    expect(words(answer.headers.get("vary"))).toContain("Origin");
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
    for (const answer of [
      await preflight(t.url, origin),
      await fetch(`${t.url}/api/health/live`, { headers: { origin } }),
    ]) {
      expect(headerNames(answer).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(words(answer.headers.get("vary"))).toContain("Origin");
    }
  }
});

test("every response has `Vary: Origin`, even without an origin in the request", async () => {
  const answer = await fetch(`${t.url}/api/health/live`);
  expect(words(answer.headers.get("vary"))).toContain("Origin");
  expect(answer.headers.has("access-control-allow-origin")).toBe(false);
});

test("without CORS_ORIGIN no response has CORS headers", async () => {
  const asked = await preflight(sameOrigin.url, WEB);
  expect(asked.status).toBe(404);
  for (const answer of [
    asked,
    await fetch(`${sameOrigin.url}/api/health/live`, { headers: { origin: WEB } }),
  ]) {
    expect(headerNames(answer).filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
  }
});

test("OPTIONS without preflight headers is 404, like any unknown method", async () => {
  const answer = await fetch(`${t.url}/api/profile`, { method: "OPTIONS", headers: { origin: WEB } });
  expect(answer.status).toBe(404);
});
