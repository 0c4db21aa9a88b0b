import { expect, test } from "bun:test";
import { join } from "node:path";
import { createOrganization } from "../../support/organizations.ts";
import { startServiceWithPayments } from "../../support/payments.ts";

const { t } = await startServiceWithPayments();

test("the curl commands of docs/clients.md buy a plan", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../../docs/clients.md")).text();
  const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const helpers = blocks.flatMap((block) => block.split("\n")).filter((line) => line.startsWith("part()"));
  const purchase = blocks.find((block) => block.includes("/billing/checkout")) ?? "";
  const { admin } = await createOrganization(t);
  const { email, password } = admin.account;
  const commands = purchase.replace("ada@demo.example", email).replace("demo password", password);
  const script = `api=${t.url}/api json='content-type: application/json'\n${helpers.join("\n")}\n${commands}`;
  const shell = Bun.spawn(["bash", "-c", script], { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(shell.stdout).text();
  expect(await shell.exited).toBe(0);
  expect(output).toMatch(/"source":"trial"[\s\S]*"source":"subscription"/);
});
