import { readFromTab, removeAllFromTab, removeFromTab, saveInTab } from "./environment.ts";

const PREFIX = "draft:";

/** Returns the text that was typed in this tab and not sent; empty if there is none. */
export const readDraft = (name: string): string => readFromTab(PREFIX + name) ?? "";

/** Keeps a text in this tab; an empty text removes it. */
export function saveDraft(name: string, text: string): void {
  if (text === "") removeFromTab(PREFIX + name);
  else saveInTab(PREFIX + name, text);
}

/** Removes all drafts of this tab, so that the next user of the browser does not find them. */
export const removeDrafts = (): void => removeAllFromTab(PREFIX);
