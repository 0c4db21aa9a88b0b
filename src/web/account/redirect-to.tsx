import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Navigates to a path of the console. */
export function RedirectTo({ to }: { to: string }) {
  const router = useRouter();
  useEffect(() => {
    void router.navigate({ href: to, replace: true });
  }, [to, router]);
  return null;
}
