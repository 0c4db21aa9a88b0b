import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createClient } from "../client/index.ts";
import { ClientProvider } from "../client/react.ts";
import { actingClient, actOn } from "./lib/acting.ts";
import { apiUrl } from "./lib/environment.ts";
import { LanguageProvider } from "./lib/i18n.tsx";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

const client = actingClient(createClient({ baseUrl: apiUrl, onSignedOut: () => actOn(null) }));
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 5_000 } } });

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
