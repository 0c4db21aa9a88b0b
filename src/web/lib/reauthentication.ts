import type { ReauthenticationDetails } from "../../client/index.ts";

/** The dialog that asks for a proof of identity. The shell sets `open`; the dialog sets `close` while it is open. */
export const proofDialog: {
  open?: ((details: ReauthenticationDetails) => Promise<boolean>) | undefined;
  close?: (() => void) | undefined;
} = {};

// Every open dialog listens for Escape, and the lowest dialog gets the event first. This listener was added before
// theirs, so Escape closes only the dialog for a proof.
addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || event.isComposing || !proofDialog.close) return;
    event.stopImmediatePropagation();
    proofDialog.close();
  },
  true,
);

/*
 * A re-authentication with a sign-in provider ends in a separate window, which notifies the page that waits for it.
 */

const NAME = "reauthenticated";

/** Tells the other windows of the console that a provider has proven the user's identity. */
export function tellProof(provider: string): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(provider);
  channel.close();
}

/** Calls back with each provider that has proven the user's identity; returns the function that stops. */
export function hearProofs(listener: (provider: unknown) => void): () => void {
  if (typeof BroadcastChannel === "undefined") return () => {};
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => listener(data);
  return () => channel.close();
}
