import { Text, type TextProps } from "@mantine/core";
import type { ReactNode } from "react";

/** A text of less importance, such as an explanation or an empty value. */
export const Hint = (props: TextProps & { readonly children: ReactNode }) => (
  <Text size="sm" c="dimmed" {...props} />
);
