import type { ReauthenticationDetails } from "../../client/index.ts";

/** The dialog of the console that asks for a proof of identity; the shell sets it. */
export const proofDialog: { open?: ((details: ReauthenticationDetails) => Promise<boolean>) | undefined } =
  {};
