import { Outlet } from "@tanstack/react-router";
import { Centered } from "./centered.tsx";

export function CenteredOutlet() {
  return (
    <Centered>
      <Outlet />
    </Centered>
  );
}
