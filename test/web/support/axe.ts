import { expect } from "bun:test";
import axeCore from "axe-core";
import type { Page } from "playwright-core";

/**
 * Fails with every violation of accessibility that axe-core finds on the page as it is.
 * @param rules only these, by their ids
 */
export async function axe(page: Page, rules: readonly string[] | null = null): Promise<void> {
  // By the protocol of the tools, which the page's policy does not forbid.
  const found = await page.evaluate(
    async ([source, only]) => {
      const scope = globalThis as unknown as { axe?: { run(options: object): Promise<Found> } };
      // biome-ignore lint/security/noGlobalEval: only through evaluate
      if (scope.axe === undefined) globalThis.eval(source);
      return scope.axe?.run(only === null ? {} : { runOnly: only });
    },
    [axeCore.source, rules] as const,
  );
  const violations = (found?.violations ?? []).map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html }) => html),
  }));
  expect(violations).toEqual([]);
}

type Found = { violations: { id: string; nodes: { html: string }[] }[] };
