import { Alert } from "@mantine/core";
import type { ReactNode } from "react";

/** Says that something is done, to screen readers too; the region is there before its text. */
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
