import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createClient } from "../client/index.ts";
import { ClientProvider } from "../client/react.ts";
import { actingClient, actOn } from "./lib/acting.ts";
import { apiUrl } from "./lib/environment.ts";
import { LanguageProvider } from "./lib/i18n.tsx";
import { announce } from "./lib/notice.ts";
import { isForAnybody, router } from "./router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

const client = actingClient(
  createClient({
    baseUrl: apiUrl,
    remembers: true,
    onSignedOut(reason) {
      actOn(null);
      if (reason === "ended") announce("ended");
    },
  }),
);
// Whoever arrives deeper inside was here before, whatever this browser remembers.
if (!isForAnybody(location.pathname)) void client.refresh().catch(() => {});
// Without a network what is asked for fails and says so, instead of waiting to be sent later.
const networkMode = "always";
const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, networkMode }, mutations: { networkMode } },
});

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
createRoot(element).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    withCssVariables={false}
    withGlobalClasses={false}
  >
    <QueryClientProvider client={queries}>
      <ClientProvider client={client}>
        <LanguageProvider>
          <RouterProvider router={router} />
        </LanguageProvider>
      </ClientProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
