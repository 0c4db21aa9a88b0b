import { authenticatedStyles } from "../lib/environment.ts";

/**
 * Loads the styles that are not part of the first load; resolves when they apply.
 * @throws Error if they cannot be loaded
 */
export function loadStyles(): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = authenticatedStyles;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error("The styles were not loaded"));
    };
    document.head.append(link);
  });
}
