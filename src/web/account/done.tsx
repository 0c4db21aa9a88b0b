import { Alert } from "@mantine/core";
import type { ReactNode } from "react";

/**
 * A message that an action has succeeded. The live region exists before its text, so that screen readers announce
 * the text.
 */
export function Done({ show, children }: { show: boolean; children: ReactNode }) {
  return (
    <div role="status">
      {show && (
        <Alert color="green" variant="outline" p="xs">
          {children}
        </Alert>
      )}
    </div>
  );
}
