"use client";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Client, PermissionName, Session } from "./index.ts";

/** The context with the client of the page. `ClientProvider` of `react.ts` sets it. */
export const ClientContext = createContext<Client | null>(null);

/**
 * Returns the client of the surrounding `ClientProvider`.
 * @throws Error outside of a `ClientProvider`
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error("There is no ClientProvider above");
  return client;
}

/** The session that a server renders, and with which hydration starts. */
const LOADING: Session = { status: "loading", problem: null };

/**
 * Returns the session: who is signed in. Re-renders on changes.
 * @throws Error outside of a `ClientProvider`
 */
export function useSession(): Session {
  const { session } = useClient();
  return useSyncExternalStore(session.subscribe, session.get, () => LOADING);
}

/**
 * Returns whether the session holds a permission, like `client.can`. Re-renders on changes.
 * @throws Error outside of a `ClientProvider`
 */
export function useCan(permission: PermissionName, unitId?: string | null): boolean | "perhaps" {
  const client = useClient();
  const can = () => client.can(permission, unitId);
  return useSyncExternalStore(client.session.subscribe, can, () => false);
}
