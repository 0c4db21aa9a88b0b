import { expect, test } from "bun:test";
import { startApi } from "../support/outage.ts";
import { startService } from "../support/service.ts";
import { ownStorage } from "../support/storage.ts";

const t = await startService();
const { folder } = await ownStorage();
const api = await startApi(t.databaseUrl, {
  NODE_ENV: "production",
  APP_URL: "https://app.test",
  STORAGE_DIR: folder,
  METRICS_PORT: "0",
  METRICS_HOST: "127.0.0.2",
  JWT_SECRET_PREVIOUS: "s3cret-0123456789-0123456789-0123456789",
  SMTP_SECURE: "s3cret",
  REQUIRE_TWOFACTOR: "s3cret",
});

test("settings that are probably not intended are logged at the start, without their values", async () => {
  const warnings = api.log
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "a setting is probably not meant")
    .map(({ level, warning }) => [level, warning.split(" ")[0]]);
  expect(warnings).toEqual([
    ["warn", "SMTP_SECURE"],
    ["warn", "JWT_SECRET_PREVIOUS"],
    ["warn", "REQUIRE_TWOFACTOR"],
  ]);
  expect(api.log.join()).not.toContain("s3cret");
});

test("metrics are served on METRICS_HOST", async () => {
  expect(new URL(api.metricsUrl ?? "").hostname).toBe("127.0.0.2");
  expect((await fetch(`${api.metricsUrl}metrics`)).status).toBe(200);
});

test("the API explorer stores an access token in the browser only outside production", async () => {
  const startOf = async (url: string) => (await fetch(`${url}/api/docs/start.js`)).text();
  expect(await startOf(api.url)).toContain("persistAuthorization: false");
  expect(await startOf(t.running.url)).toContain("persistAuthorization: true");
});
