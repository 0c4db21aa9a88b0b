import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery, useSession } from "../../client/react.ts";
import { remember, remembered } from "./environment.ts";

export type Language = Schemas["Language"];

type Text = string | ((...values: never[]) => string);
type Same<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] };

/** The texts of an area in both languages. */
export type Dictionary<T> = { readonly en: T; readonly el: Same<T> };

/**
 * Declares the texts of an area: plain strings, and functions for those with values. A text that is missing in one
 * language, or is in the Greek texts alone, does not compile.
 */
export const dictionary = <T extends Record<string, Text>>(en: T, el: Same<NoInfer<T>>): Dictionary<T> => ({
  en,
  el,
});

type Value = { readonly language: Language; readonly choose: (language: Language) => void };
const Context = createContext<Value | null>(null);

const KEY = "language";
const isLanguage = (value: string | null | undefined): value is Language => value === "en" || value === "el";

function initial(): Language {
  const kept = remembered(KEY);
  if (isLanguage(kept)) return kept;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? "en";
}

/** Provides the language: that of the account, before that the one last used here, before that the browser's. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const session = useSession();
  const isUser = session.status === "signed-in" && !session.mustEnableTwoFactor;
  const { data: profile } = useApiQuery("GET /api/profile", {}, { enabled: isUser, staleTime: 60_000 });
  const [chosen, setChosen] = useState(initial);
  const language = (isUser && profile?.language) || chosen;
  const choose = useCallback((next: Language) => setChosen(next), []);

  useEffect(() => {
    remember(KEY, language);
    setChosen(language);
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(() => ({ language, choose }), [language, choose]);
  return <Context value={value}>{children}</Context>;
}

/**
 * The language, and a function that chooses another one while nobody is signed in.
 * @throws Error without a `LanguageProvider` above
 */
export function useLanguage(): Value {
  const value = useContext(Context);
  if (value === null) throw new Error("There is no LanguageProvider above");
  return value;
}

/** The texts of a dictionary in the current language. */
export function useTexts<T>(texts: Dictionary<T>): Same<T> {
  return texts[useLanguage().language] as Same<T>;
}
