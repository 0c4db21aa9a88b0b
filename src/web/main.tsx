import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createClient } from "../client/index.ts";
import { ClientProvider } from "../client/react.ts";
import { apiUrl } from "./lib/environment.ts";
import { LanguageProvider } from "./lib/i18n.tsx";
import { announce } from "./lib/notice.ts";
import { clientForSelectedOrganization, selectOrganization } from "./lib/selected-organization.ts";
import { isPublicPath, router } from "./router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

const client = clientForSelectedOrganization(
  createClient({
    baseUrl: apiUrl,
    remembers: true,
    onSignedOut(reason) {
      selectOrganization(null);
      if (reason === "ended") announce("ended");
    },
  }),
);
// A deep link implies an earlier session, so the session is refreshed even if this browser has no record of one.
if (!isPublicPath(location.pathname)) void client.refresh().catch(() => {});
// Without a network, requests fail with an error instead of being queued.
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
