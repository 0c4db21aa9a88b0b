// Sets the color scheme before the first paint, so that the page does not flash in the wrong colors. The storage
// key is Mantine's.
(() => {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // If the browser blocks storage, the system's color scheme is used.
  }
  const isDark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
