import { expect } from "bun:test";
import axeCore from "axe-core";
import type { Page } from "playwright-core";

/**
 * Fails with every violation of accessibility that axe-core finds on the page as it is.
 * @param rules only these, by their ids
 */
export async function axe(page: Page, rules: readonly string[] | null = null): Promise<void> {
  // By the protocol of the tools, which the page's policy does not forbid; once, as it is half a megabyte.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeCore.source);
  const found = await page.evaluate(
    (only) => (globalThis as unknown as { axe: Axe }).axe.run(only === null ? {} : { runOnly: only }),
    rules,
  );
  const violations = found.violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html }) => html),
  }));
  expect({ page: page.url(), violations }).toEqual({ page: page.url(), violations: [] });
}

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};
