import { createContext } from "react";

/** Loads the pages after sign-in ahead of time, for a page before it. */
export const ConsolePreload = createContext<() => void>(() => {});
