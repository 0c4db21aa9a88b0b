import { useEffect, useSyncExternalStore } from "react";
import { ApiError, ConnectionError } from "../../client/index.ts";
import * as el from "../texts/el/general-error.ts";
import * as en from "../texts/en/general-error.ts";
import { dictionary, useLanguage, useTexts } from "./i18n.tsx";

type Sentences = typeof import("./error-texts.ts").errorTexts;

const general = dictionary(en.general, el.general);

/** The error texts are not part of the first load. They are loaded at the same time. */
let sentences: Sentences | null = null;
const listeners = new Set<() => void>();

function load(): void {
  if (sentences !== null) return;
  import("./error-texts.ts").then(
    ({ errorTexts }) => {
      sentences = errorTexts;
      for (const listener of listeners) listener();
    },
    // If the error texts could not be loaded, the next component that needs them loads them again. Until then a
    // general sentence is shown.
    () => {},
  );
}
load();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a function that converts a thrown value to a sentence in the current language. */
export function useErrorText(): (error: unknown) => string {
  const { language } = useLanguage();
  const { failed } = useTexts(general);
  const texts: Partial<Record<string, string>> | undefined = useSyncExternalStore(
    subscribe,
    () => sentences,
  )?.[language];
  useEffect(load, []);
  return (error) => {
    const known =
      error instanceof ApiError || error instanceof ConnectionError ? texts?.[error.code] : undefined;
    return known ?? texts?.INTERNAL_ERROR ?? failed;
  };
}
