import { tabStorage } from "./environment.ts";

const PREFIX = "draft:";

/** Returns the text that was typed in this tab and not sent; empty if there is none. */
export const readDraft = (name: string): string => tabStorage.read(PREFIX + name) ?? "";

/** Keeps a text in this tab; an empty text removes it. */
export function saveDraft(name: string, text: string): void {
  if (text === "") tabStorage.remove(PREFIX + name);
  else tabStorage.save(PREFIX + name, text);
}

/** Removes all drafts of this tab, so that the next user of the browser does not find them. */
export const removeDrafts = (): void => tabStorage.keys(PREFIX).forEach(tabStorage.remove);
