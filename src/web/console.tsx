import { QueryClient, QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import type { Client, Endpoint } from "../client/index.ts";
import { ClientProvider, useApiQuery } from "../client/react.ts";
import { Invalidation } from "./lib/action.ts";
import { useClaims } from "./lib/claims.ts";
import { basePath } from "./lib/environment.ts";
import { useLanguage } from "./lib/i18n.tsx";
import { invalidate } from "./lib/invalidate.ts";
import { announceLocation } from "./lib/location.ts";
import { type ConsoleRouter, createConsoleRouter } from "./router.tsx";
import { loadShell } from "./shell/gate.tsx";

// Without a network, requests fail with an error instead of being queued.
const networkMode = "always";

export async function preloadHome(): Promise<void> {
  await Promise.all([loadShell(), import("./shell/home.tsx")]).catch(() => {});
}

/**
 * Returns the pages after sign-in, as soon as the page at the current address can be shown. Each call creates an
 * empty cache, so that no data of a previous user remains.
 */
export async function openConsole(client: Client): Promise<ReactElement> {
  const router = createConsoleRouter();
  const queries = new QueryClient({
    defaultOptions: { queries: { staleTime: 5_000, networkMode }, mutations: { networkMode } },
  });
  // A failure to load the shell is ignored here, because `shell/gate.tsx` reports it.
  await Promise.all([router.load(), loadShell().catch(() => {})]);
  return (
    <QueryClientProvider key={Math.random()} client={queries}>
      <ClientProvider client={client}>
        <InvalidationProvider>
          <AccountLanguage />
          <Router router={router} />
        </InvalidationProvider>
      </ClientProvider>
    </QueryClientProvider>
  );
}

function Router({ router }: { router: ConsoleRouter }) {
  useEffect(() => {
    const unsubscribe = router.history.subscribe(announceLocation);
    return () => {
      unsubscribe();
      router.history.destroy();
    };
  }, [router]);
  return <RouterProvider router={router} />;
}

/** Lets actions refetch the data that they have changed, in this tab and in the others. */
function InvalidationProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const changes = useRef<BroadcastChannel | null>(null);
  useEffect(() => {
    const channel = new BroadcastChannel(`changes:${basePath}`);
    channel.onmessage = ({ data }) => void invalidate(queries, data);
    changes.current = channel;
    return () => channel.close();
  }, [queries]);
  const value = (endpoints: readonly Endpoint[]) => {
    changes.current?.postMessage(endpoints);
    return invalidate(queries, endpoints);
  };
  return <Invalidation value={value}>{children}</Invalidation>;
}

function AccountLanguage() {
  const { choose } = useLanguage();
  const isUser = useClaims().mustEnableTwoFactor === false;
  const { data: profile } = useApiQuery("GET /api/profile", {}, { enabled: isUser, staleTime: 60_000 });
  const language = isUser ? profile?.language : undefined;
  useEffect(() => {
    if (language !== undefined) choose(language);
  }, [language, choose]);
  return null;
}
