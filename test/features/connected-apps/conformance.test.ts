import { afterAll, describe, expect, test } from "bun:test";
import { insertGrant } from "../../support/apps.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/*
 * The conformance suite of the Model Context Protocol, `bun run proof agents`: npm downloads it, so it is no part of the tests. It
 * sends no credentials, so a proxy adds the token. Most of its scenarios call tools, prompts and resources of its own server.
 */
const SUITE = "@modelcontextprotocol/conformance@0.1.16";
const SCENARIOS = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

describe.skipIf(process.env.MCP_CONFORMANCE === undefined)("the conformance suite", () => {
  test.each(SCENARIOS)(
    "passes: %s",
    async (scenario) => {
      const t = await startService({ OAUTH: "on", OAUTH_APPS: "any" });
      const { id: organizationId, admin } = await createOrganization(t);
      const userId = await userIdOf(t, admin);
      const { accessToken } = await insertGrant(t, { userId, organizationId, resource: "mcp" });
      const proxy = Bun.serve({
        hostname: "localhost",
        port: 0,
        fetch: (request) => {
          const headers = new Headers(request.headers);
          headers.set("authorization", `Bearer ${accessToken}`);
          const { method, body } = request;
          return fetch(`${t.url}/mcp`, { method, headers, body });
        },
      });
      afterAll(() => proxy.stop(true));
      const child = Bun.spawn(
        [
          "bunx",
          "--bun",
          SUITE,
          "server",
          "--url",
          `http://localhost:${proxy.port}/mcp`,
          "--scenario",
          scenario,
        ],
        { stdout: "pipe", stderr: "pipe" },
      );
      const output = `${await child.stdout.text()}${await child.stderr.text()}`;
      expect([await child.exited, output]).toEqual([0, expect.not.stringMatching(/[1-9]\d* failed/)]);
    },
    120_000,
  );
});
