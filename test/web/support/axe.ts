import { expect } from "bun:test";
import axeCore from "axe-core";
import type { Page } from "playwright-core";

/**
 * Fails with all accessibility violations that axe-core finds in the page's current state.
 * @param rules ids of the axe rules to check; null checks all
 * @param ignored ids of the axe rules not to check
 */
export async function axe(
  page: Page,
  rules: readonly string[] | null = null,
  ignored: readonly string[] = [],
): Promise<void> {
  // axe-core is injected once, because it is 0.5 MB, and through the DevTools protocol, which bypasses the content
  // security policy.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeCore.source);
  // Only the violations leave the page: the elements that pass are thousands.
  const violations = await page.evaluate(
    async ({ only, without }) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const found = await axe.run({
        ...(only !== null && { runOnly: only }),
        rules: Object.fromEntries(without.map((id) => [id, { enabled: false }])),
        resultTypes: ["violations"],
      });
      return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
    },
    { only: rules, without: ignored },
  );
  expect({ page: page.url(), violations }).toEqual({ page: page.url(), violations: [] });
}

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};
