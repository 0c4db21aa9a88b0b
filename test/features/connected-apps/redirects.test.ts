import { describe, expect, test } from "bun:test";
import {
  isLoopback,
  isRedirect,
  matchesRedirect,
} from "../../../src/features/connected-apps/clients/redirects.ts";

describe("addresses to which an app may be sent back (46.33, AP08)", () => {
  test.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://app.example.com",
    "https://app.example.com:8443/callback?from=here",
    "https://xn--bcher-kva.example/callback",
    "http://localhost/callback",
    "http://localhost:8787/callback",
    "http://127.0.0.1:33418",
    "http://127.0.0.1/?from=here",
    "http://[::1]:8080/callback",
  ])("%s is allowed", (text) => {
    expect(isRedirect(text)).toBe(true);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,hello",
    "cursor://anysphere.cursor-deeplink/callback",
    "http://evil.example/callback",
    "https://host@evil",
    "https://app.example.com@evil.example/callback",
    "https://@app.example.com/callback",
    "https://app.example.com/callback#part",
    "https://app.example.com\\@evil.example/",
    "https:app.example.com/callback",
    "https:///app.example.com/callback",
    "https://APP.example.com/callback",
    "https://bücher.example/callback",
    "https://app.example.com./callback",
    "https://app.example.com/a b",
    "https://app.example.com/\n",
    "https://localhost/callback",
    "https://app.internal/callback",
    "https://app/callback",
    "https://203.0.113.7/callback",
    "https://[2001:db8::1]/callback",
    "http://localhost.evil.example/callback",
    "http://localhost@evil.example/callback",
    "http://localhost:80@evil.example/callback",
    "http://127.0.0.1:99999/callback",
    "http://127.1/callback",
    "http://0x7f000001/callback",
    "http://127.0.0.2/callback",
    "",
  ])("%s is refused", (text) => {
    expect(isRedirect(text)).toBe(false);
    expect(matchesRedirect([text], text)).toBe(false);
  });
});

test("an address has at most 2,048 characters", () => {
  const path = "https://app.example.com/";
  expect(isRedirect(path.padEnd(2_048, "a"))).toBe(true);
  expect(isRedirect(path.padEnd(2_049, "a"))).toBe(false);
});

describe("the address that was sent (46.33, AP09)", () => {
  test.each([
    ["http://localhost/callback", "http://localhost:8787/callback"],
    ["http://localhost:8787/callback", "http://localhost/callback"],
    ["http://127.0.0.1:33418/", "http://127.0.0.1:50123"],
    ["http://127.0.0.1?from=here", "http://127.0.0.1:50123/?from=here"],
    ["http://[::1]/callback", "http://[::1]:50123/callback"],
    ["https://app.example.com/callback", "https://app.example.com/callback"],
  ])("%s was declared: %s is accepted", (declared, sent) => {
    expect(matchesRedirect(["https://other.example.com/", declared], sent)).toBe(true);
  });

  test.each([
    ["http://localhost/callback", "http://localhost:8787/other"],
    ["http://localhost/callback", "http://127.0.0.1:8787/callback"],
    ["http://127.0.0.1/callback", "http://localhost:8787/callback"],
    ["http://localhost/callback", "https://localhost/callback"],
    ["http://localhost/callback", "http://localhost:8787/callback?more=1"],
    ["http://localhost/callback", "http://localhost:8787/callback/"],
    ["http://localhost/callback", "http://localhost:8787/x/../callback"],
    ["https://app.example.com/callback", "https://app.example.com/Callback"],
    ["https://app.example.com/callback", "https://app.example.com//callback"],
    ["https://app.example.com/callback", "https://app.example.com/callback/"],
    ["https://app.example.com/callback", "https://app.example.com:443/callback"],
    ["https://app.example.com/callback", "https://app.example.com/callback?more=1"],
    ["https://app.example.com", "https://app.example.com/"],
  ])("%s was declared: %s is refused", (declared, sent) => {
    expect(matchesRedirect([declared], sent)).toBe(false);
  });
});

test("only the person's own computer is one", () => {
  expect(isLoopback("http://localhost:8787/callback")).toBe(true);
  expect(isLoopback("https://app.example.com/localhost")).toBe(false);
});
