/**
 * Patterns of browsers in User-Agent headers. The order matters: the header also names the browsers on which a
 * browser is based.
 */
const BROWSERS: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^Bun\//, "Bun"],
  [/^node\b/i, "Node.js"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Returns the browser and operating system that a User-Agent header names; null if it names neither. */
export function deviceOf(userAgent: string | null): { browser?: string; system?: string } | null {
  if (userAgent === null) return null;
  const find = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return browser === undefined && system === undefined
    ? null
    : { ...(browser && { browser }), ...(system && { system }) };
}
