import { useEffect } from "react";
import { openPage } from "../lib/location.ts";

/** Opens a path of the console or an absolute address, in place of the current page in the browser's history. */
export function RedirectTo({ to }: { to: string }) {
  useEffect(() => openPage(to, { replace: true }), [to]);
  return null;
}
