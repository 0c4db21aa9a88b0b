import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useClient } from "../../client/react.ts";
import { loadErrorTexts } from "../lib/errors.ts";
import { visibleMenu } from "./menu.ts";

/** The delay before pages are preloaded. In this time the first page loads what it needs. */
const AFTER_MS = 4_000;

type Network = { readonly connection?: { readonly saveData?: boolean } };

export function usePreloadedPages() {
  const router = useRouter();
  const client = useClient();
  useEffect(() => {
    if ((navigator as Network).connection?.saveData) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      loadErrorTexts();
      for (const { to } of visibleMenu(client)) {
        if (isOver || !navigator.onLine) return;
        await router.preloadRoute({ to } as never).catch(() => {});
      }
    }, AFTER_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [router, client]);
}
