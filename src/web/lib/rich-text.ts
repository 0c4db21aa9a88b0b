import { createElement, Fragment, type ReactNode } from "react";

/** A character that no text contains. */
const MARK = "\u0000";

/**
 * Fills the placeholders of a text with React nodes, such as links.
 * @param text a text with placeholders (`useTexts`); nodes that it has no placeholder for are ignored
 * @example fill(texts.gave, <Link to="/members/1">Ada</Link>, "Grace")
 */
export function fill(text: (...marks: string[]) => string, ...nodes: readonly ReactNode[]): ReactNode {
  const parts = text(...nodes.map((_, index) => `${MARK}${index}${MARK}`)).split(MARK);
  // Every second part is the index of a node.
  return createElement(
    Fragment,
    null,
    ...parts.map((part, index) => (index % 2 === 0 ? part : nodes[Number(part)])),
  );
}
