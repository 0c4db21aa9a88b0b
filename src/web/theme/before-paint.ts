// Runs before the first paint, as a script without imports: sets the color scheme, so that the page does not flash
// in the wrong colors, and the language. The storage keys are Mantine's and that of lib/i18n.tsx.
(() => {
  const read = (key: string) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // If the browser blocks storage, the preferences of the system apply.
      return null;
    }
  };
  const root = document.documentElement;
  const scheme = read("mantine-color-scheme-value");
  const isDark =
    scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");

  const languages = [read("language") ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  root.lang = languages.find((language) => language === "en" || language === "el") ?? "en";
})();
