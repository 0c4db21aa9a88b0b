import { useSyncExternalStore } from "react";
import { ApiError, ConnectionError } from "../../client/index.ts";
import { general } from "../texts/general-error.ts";
import { declaredOf } from "./features.ts";
import { type Language, useLanguage, useTexts } from "./i18n.tsx";

type Sentences = typeof import("../texts/errors.ts").errorTexts;

/** The error texts are not part of the first load, except for the general one and the one about a lost connection. */
let sentences: Sentences | null = null;
const listeners = new Set<() => void>();

export function loadErrorTexts(): void {
  if (sentences !== null) return;
  import("../texts/errors.ts").then(
    ({ errorTexts }) => {
      sentences = errorTexts;
      for (const listener of listeners) listener();
    },
    // If the error texts could not be loaded, the next component that needs them loads them again. Until then a
    // general sentence is shown.
    () => {},
  );
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the sentence for an error code: that of an area, or one of the service's own. */
export const sentenceOf = (
  code: string,
  language: Language,
  texts: Partial<Record<string, string>> | undefined,
): string | undefined => declaredOf("errors", code)?.[language] ?? texts?.[code];

export function useErrorText(): (error: unknown) => string {
  const { language } = useLanguage();
  const { failed, unreachable } = useTexts(general);
  const texts: Partial<Record<string, string>> | undefined = useSyncExternalStore(
    subscribe,
    () => sentences,
  )?.[language];
  return (error) => {
    loadErrorTexts();
    const code = error instanceof ApiError || error instanceof ConnectionError ? error.code : null;
    const known = code === null ? undefined : sentenceOf(code, language, texts);
    const isOffline = error instanceof ConnectionError && error.code === "NETWORK_ERROR";
    return known ?? (isOffline ? unreachable : (texts?.INTERNAL_ERROR ?? failed));
  };
}
