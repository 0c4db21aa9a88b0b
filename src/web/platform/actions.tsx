import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A row of `rows` with an action: what it does, and its button. */
export function ActionRow({ about, children }: { about: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm">{about}</Text>
      {children}
    </div>
  );
}
