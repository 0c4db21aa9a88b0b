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
