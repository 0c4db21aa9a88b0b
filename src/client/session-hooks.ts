"use client";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client, PermissionName, Session } from "./index.ts";

/** The client of the page; `ClientProvider` of `react.ts` sets it. */
export const ClientContext = createContext<Client | null>(null);

/**
 * The client of the `ClientProvider` above.
 * @throws Error without one
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error("There is no ClientProvider above");
  return client;
}

/** The value that a server renders and that hydration starts with. */
const LOADING: Session = { status: "loading", problem: null };

/**
 * Who is signed in; re-renders on changes.
 * @throws Error without a `ClientProvider` above
 */
export function useSession(): Session {
  const { session } = useClient();
  return useSyncExternalStore(session.subscribe, session.get, () => LOADING);
}

/**
 * Whether the session holds a permission, as `client.can`; re-renders on changes.
 * @throws Error without a `ClientProvider` above
 */
export function useCan(permission: PermissionName, unitId?: string | null): boolean | "perhaps" {
  const client = useClient();
  const can = () => client.can(permission, unitId);
  return useSyncExternalStore(client.session.subscribe, can, () => false);
}
