import { Loader } from "@mantine/core";
import { type ReactElement, useEffect, useState } from "react";
import { useClient } from "../client/session-hooks.ts";
import { ConsolePreload } from "./lib/console-preload.ts";
import { useTexts } from "./lib/i18n.tsx";
import { usePath } from "./lib/location.ts";
import { publicPageAt } from "./public-pages.ts";
import { Centered } from "./shell/centered.tsx";
import { ErrorPage } from "./shell/error-page.tsx";
import { uiTexts } from "./texts/ui.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

const loadConsole = () => import("./console.tsx");
/**
 * Loads the modules of the first page after sign-in in advance. Failures are ignored: the page loads its modules
 * again.
 */
const preload = () =>
  void loadConsole().then(
    ({ preloadHome }) => preloadHome(),
    () => {},
  );

/** Shows the public page at the current path, or else the console. Until it is loaded, the former page stays. */
export function App() {
  const client = useClient();
  const path = usePath();
  const Page = publicPageAt(path);
  const mode = Page === undefined ? "console" : path;
  const [shown, setShown] = useState<ReactElement | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: within the console its router shows the pages
  useEffect(() => {
    let isCurrent = true;
    const show = (element: ReactElement) => isCurrent && setShown(element);
    if (Page === undefined)
      loadConsole()
        .then(({ openConsole }) => openConsole(client))
        .then(show, () => show(<ErrorPage reset={() => location.reload()} />));
    else
      void Page.preload().then(() =>
        show(
          <Centered>
            <ErrorBoundary key={mode} fallback={(reset) => <ErrorPage reset={reset} />}>
              <Page key={mode} />
            </ErrorBoundary>
          </Centered>,
        ),
      );
    return () => {
      isCurrent = false;
    };
  }, [mode]);
  return <ConsolePreload value={preload}>{shown ?? <Loading />}</ConsolePreload>;
}

function Loading() {
  const texts = useTexts(uiTexts);
  return (
    <div className="centered">
      <main>
        <Loader aria-label={texts.loading} />
      </main>
    </div>
  );
}
