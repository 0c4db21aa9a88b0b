import { useSyncExternalStore } from "react";
import { basePath } from "./environment.ts";

/*
 * The address of the page, for code that also runs before sign-in, where there is no router. The console's router notices
 * changes that are made here, because it observes the browser's history.
 */

const listeners = new Set<() => void>();
addEventListener("popstate", announceLocation);

export function announceLocation(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the path in the console, without a trailing slash: "/sign-in"; "" for the start page. */
export const currentPath = (): string => location.pathname.slice(basePath.length).replace(/\/$/, "");

/** Returns the path in the console with its query, to come back to it. */
export const currentHref = (): string => location.pathname.slice(basePath.length) + location.search;

export const currentSearch = (): Record<string, unknown> =>
  Object.fromEntries(new URLSearchParams(location.search));

/** Opens a page of the console by its path with its query, or leaves the console for an absolute address. */
export function openPage(href: string, { replace = false } = {}): void {
  if (/^https?:/.test(href)) {
    location[replace ? "replace" : "assign"](href);
    return;
  }
  history[replace ? "replaceState" : "pushState"](null, "", basePath + href);
  announceLocation();
}

/** The path of the current page; re-renders on changes. */
export const usePath = (): string => useSyncExternalStore(subscribe, currentPath);
