import type { ReauthenticationDetails } from "../../client/index.ts";

/** The dialog of the console that asks for a proof of identity; the shell sets how it opens, the open dialog how it closes. */
export const proofDialog: {
  open?: ((details: ReauthenticationDetails) => Promise<boolean>) | undefined;
  close?: (() => void) | undefined;
} = {};

// Every open dialog hears Escape, the lower ones first. This listener is older than theirs.
addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || event.isComposing || !proofDialog.close) return;
    event.stopImmediatePropagation();
    proofDialog.close();
  },
  true,
);
