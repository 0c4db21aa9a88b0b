import { type ComponentProps, lazy, Suspense, useEffect, useState } from "react";
import { proofDialog } from "../lib/reauthentication.ts";

// The dialog is loaded on demand, because it is rarely needed.
const Reauthentication = lazy(() => import("./reauthentication.tsx"));

/** Opens the dialog in which the user proves their identity again, whenever a request needs it while this is shown. */
export function ProofDialog() {
  const [proof, setProof] = useState<ComponentProps<typeof Reauthentication> | null>(null);
  useEffect(() => {
    proofDialog.open = (details) => new Promise((resolve) => setProof({ details, resolve }));
    return () => {
      proofDialog.open = undefined;
    };
  }, []);
  return <Suspense>{proof && <Reauthentication {...proof} />}</Suspense>;
}
