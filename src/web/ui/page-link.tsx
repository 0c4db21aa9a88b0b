import { Anchor } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import { basePath } from "../lib/environment.ts";
import { openPage } from "../lib/location.ts";

type Props = { readonly to: string; readonly search?: Record<string, string>; readonly children: ReactNode };

/** A link to another page of the console that also works before sign-in, where there is no router. */
export function PageLink({ to, search = {}, children }: Props) {
  const query = new URLSearchParams(search).toString();
  const href = query === "" ? to : `${to}?${query}`;
  function onClick(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openPage(href);
  }
  return (
    <Anchor size="sm" underline="always" href={basePath + href} onClick={onClick}>
      {children}
    </Anchor>
  );
}
