import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Schemas } from "../../client/index.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import { browserStorage } from "./environment.ts";

export type Language = Schemas["Language"];

export const LANGUAGES = { en: "English", el: "Ελληνικά" } as const;

type Value = { readonly language: Language; readonly choose: (language: Language) => void };
const Context = createContext<Value | null>(null);

const KEY = "language";

/** The language in which the page began: `theme/before-paint.ts` has chosen it. */
const initial = (): Language => (document.documentElement.lang === "el" ? "el" : "en");

/**
 * Provides the language: the one last used in this browser, otherwise the browser's. The console chooses the account's
 * after sign-in.
 */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initial);
  useEffect(() => {
    browserStorage.save(KEY, language);
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(() => ({ language, choose: setLanguage }), [language]);
  return <Context value={value}>{children}</Context>;
}

export function useLanguage(): Value {
  const value = useContext(Context);
  if (value === null) throw new Error("There is no LanguageProvider above");
  return value;
}

export function useTexts<Texts>(texts: Dictionary<Texts>): Texts {
  return texts[useLanguage().language];
}
