import { MantineProvider } from "@mantine/core";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { loadErrorTexts } from "../lib/errors.ts";
import { LanguageProvider } from "../lib/i18n.tsx";
import { theme } from "../theme/theme.ts";
import "../theme/styles.ts";
import { Controls } from "./controls.tsx";
import { Data } from "./data.tsx";
import { Feedback } from "./feedback.tsx";
import { Open } from "./open.tsx";

/** All components in all states, on one page. It is part of development only, and of the test of the golden images. */
function Gallery() {
  return (
    <main
      style={{
        display: "grid",
        gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 330px), 1fr))",
        alignItems: "start",
        background: "var(--mantine-color-body)",
      }}
    >
      <Controls />
      <Feedback />
      <Data />
      <Open />
    </main>
  );
}

const routeTree = createRootRoute({ component: Gallery, notFoundComponent: Gallery });
const router = createRouter({ routeTree, history: createMemoryHistory() });

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
loadErrorTexts();
createRoot(element).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <LanguageProvider>
      <RouterProvider router={router as never} />
    </LanguageProvider>
  </MantineProvider>,
);
