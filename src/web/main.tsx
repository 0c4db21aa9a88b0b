import { MantineProvider } from "@mantine/core";
import { createRoot } from "react-dom/client";
import { createClient } from "../client/index.ts";
import { ClientContext } from "../client/session-hooks.ts";
import { App } from "./app.tsx";
import { removeDrafts } from "./lib/drafts.ts";
import { apiUrl, browserStorage } from "./lib/environment.ts";
import { LanguageProvider } from "./lib/i18n.tsx";
import { currentPath } from "./lib/location.ts";
import { announceEnd } from "./lib/notice.ts";
import { proofDialog } from "./lib/reauthentication.ts";
import { clientForSelectedOrganization, selectOrganization } from "./lib/selected-organization.ts";
import { publicPageAt } from "./public-pages.ts";
import { theme } from "./theme/theme.ts";
import "./theme/styles.ts";

/** The record that a user has signed out in this browser. It is not removed: a later sign-in has its own record. */
const SIGNED_OUT = `signed-out:${apiUrl}`;

const client = clientForSelectedOrganization(
  createClient({
    baseUrl: apiUrl,
    remembers: true,
    // Before the shell is loaded, there is no dialog that could ask for a proof, so the request fails.
    onReauthenticate: async (details) => (await proofDialog.open?.(details)) ?? false,
    onSignedOut(reason) {
      browserStorage.save(SIGNED_OUT, "yes");
      selectOrganization(null);
      if (reason !== "ended") removeDrafts();
      if (reason === "ended") announceEnd();
    },
  }),
);
// A deep link implies an earlier session, so the session is refreshed even if this browser has no record of one; not
// after signing out, because the refresh would fail and the browser would log that.
const isDeepLink =
  currentPath() === "/authorize" || (currentPath() !== "" && publicPageAt(currentPath()) === undefined);
if (isDeepLink && browserStorage.read(SIGNED_OUT) === null) void client.refresh().catch(() => {});

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
createRoot(element).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <ClientContext value={client}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </ClientContext>
  </MantineProvider>,
);
