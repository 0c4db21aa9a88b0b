import { Loader } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { currentHref, openPage } from "../lib/location.ts";
import { hasUnsavedChanges } from "../lib/unsaved.ts";
import { shellTexts } from "../texts/shell.ts";
import { uiTexts } from "../texts/ui.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";

export const loadShell = () => import("./shell.tsx");
const Shell = lazy(loadShell);

/** Shows signed-in pages to signed-in users. Redirects others to the sign-in page, and back after sign-in. */
export function Gate() {
  const session = useSession();
  if (session.status === "loading") return <Connecting problem={session.problem} />;
  if (session.status === "signed-out") return <Leave to="/sign-in" />;
  if (session.mustEnableTwoFactor) return <Leave to="/two-factor" />;
  return (
    <Suspense fallback={<Connecting problem={null} />}>
      <UnsavedGuard />
      <Shell isPlatformAdmin={session.isPlatformAdmin} />
    </Suspense>
  );
}

function Connecting({ problem }: { problem: unknown }) {
  const texts = useTexts(uiTexts);
  return (
    <div className="centered">
      <main>{problem === null ? <Loader aria-label={texts.loading} /> : <ErrorAlert error={problem} />}</main>
    </div>
  );
}

function Leave({ to }: { to: "/sign-in" | "/two-factor" }) {
  useEffect(() => {
    const next = currentHref();
    openPage(next === "/" ? to : `${to}?${new URLSearchParams({ next })}`, { replace: true });
  }, [to]);
  return null;
}

export function UnsavedGuard() {
  const { leaveUnsaved } = useTexts(shellTexts);
  useBlocker({
    // Uses a dialog of the browser, as browsers do when a window is closed.
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && hasUnsavedChanges() && !window.confirm(leaveUnsaved),
    enableBeforeUnload: hasUnsavedChanges,
  });
  return null;
}
