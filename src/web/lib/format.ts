import { useMemo } from "react";
import { type Language, useLanguage } from "./i18n.tsx";

export const LOCALES = { en: "en-GB", el: "el-GR" } as const;
const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/**
 * The number of decimals of currencies that do not have two, by ISO 4217. Browsers disagree about it: Chromium has no
 * decimals for HUF or MGA, for example.
 */
const DIGITS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    "",
    "",
    "BHD IQD JOD KWD LYD OMR TND",
    "CLF UYW",
  ].flatMap((currencies, digits) => currencies.split(" ").map((currency) => [currency, digits])),
);

function formatsOf(language: Language) {
  const locale = LOCALES[language];
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const longDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", timeZone: "UTC" });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const number = new Intl.NumberFormat(locale);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const collator = new Intl.Collator(locale, { sensitivity: "base", numeric: true });
  return {
    date: (value: string | Date) => date.format(new Date(value)),
    /** Formats a day such as "2026-01-31" without its year. */
    day: (value: string) => day.format(new Date(value)),
    /** Formats a day of UTC without its year and with the whole name of its month. */
    longDay: (value: string) => longDay.format(new Date(value)),
    dateTime: (value: string | Date) => dateTime.format(new Date(value)),
    number: (value: number) => number.format(value),
    /** Formats an amount in the smallest unit that ISO 4217 defines for its currency, such as cents. */
    money(amount: number, currency: string) {
      const digits = DIGITS[currency.toUpperCase()] ?? 2;
      const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      const format = new Intl.NumberFormat(locale, { style: "currency", currency, ...fraction });
      return format.format(amount / 10 ** digits);
    },
    list: (items: readonly string[]) => list.format(items),
    compare: (one: string, other: string) => collator.compare(one, other),
    /** Returns a relative time such as "2 hours ago" or "in 3 days"; "now" within a minute. */
    ago(value: string | Date) {
      const seconds = (new Date(value).getTime() - Date.now()) / 1000;
      const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ["second", 0];
      return relative.format(size === 0 ? 0 : Math.round(seconds / size), unit);
    },
  };
}

export function useFormat() {
  const { language } = useLanguage();
  return useMemo(() => formatsOf(language), [language]);
}
