import { Outlet } from "@tanstack/react-router";
import { Centered } from "./centered.tsx";

/** The layout of the console's pages without navigation. */
export function CenteredOutlet() {
  return (
    <Centered>
      <Outlet />
    </Centered>
  );
}
