import { Text } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { ConfirmButton } from "../ui/confirm-button.tsx";

/** A row of `rows` with an action: what it does, and its button. */
export function ActionRow({ about, children }: { about: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Text size="sm">{about}</Text>
      {children}
    </div>
  );
}

/** A row of `rows` with an action that cannot be undone. The question before it also says what it does. */
export const ConfirmRow = (props: ComponentProps<typeof ConfirmButton>) => (
  <ActionRow about={props.question}>
    <ConfirmButton {...props} />
  </ActionRow>
);
