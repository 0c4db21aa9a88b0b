import { Loader } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useSession } from "../../client/react.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { uiTexts } from "../ui/texts.ts";
import { loadStyles } from "./load-styles.ts";

let loading: Promise<typeof import("./shell.tsx")> | null = null;
/** Loads the layout of signed-in pages and its styles, once. */
function load() {
  loading ??= Promise.all([import("./shell.tsx"), loadStyles()]).then(
    ([shell]) => shell,
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
const Shell = lazy(load);
// Loading starts with this module, because every page that imports it needs the layout of signed-in pages.
void load().catch(() => {});

/** Shows signed-in pages to signed-in users. Redirects others to the sign-in page, and back after sign-in. */
export function Gate() {
  const session = useSession();
  if (session.status === "loading") return <Connecting problem={session.problem} />;
  if (session.status === "signed-out") return <Leave to="/sign-in" />;
  if (session.mustEnableTwoFactor) return <Leave to="/two-factor" />;
  return (
    <Suspense fallback={<Connecting problem={null} />}>
      <Shell isPlatformAdmin={session.isPlatformAdmin} />
    </Suspense>
  );
}

function Connecting({ problem }: { problem: unknown }) {
  const texts = useTexts(uiTexts);
  // The client requests a session only if there may be one. The layout of signed-in pages is then loaded in
  // parallel.
  useEffect(() => void load().catch(() => {}), []);
  return (
    <div className="centered">
      <main>{problem === null ? <Loader aria-label={texts.loading} /> : <ErrorAlert error={problem} />}</main>
    </div>
  );
}

/** Redirects once, with the current URL as `next`: the URL changes while this component is still rendered. */
function Leave({ to }: { to: "/sign-in" | "/two-factor" }) {
  const router = useRouter();
  useEffect(() => {
    const { href } = router.state.location;
    void router.navigate({ to, search: href === "/" ? {} : { next: href }, replace: true });
  }, [router, to]);
  return null;
}
