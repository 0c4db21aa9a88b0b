import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../lib/icons.tsx";

/** A message in place of an empty list: an icon of what is missing, a sentence, and what to do. */
export function EmptyState({
  text,
  icon = "inbox",
  children,
}: {
  text: string;
  icon?: IconName;
  children?: ReactNode;
}) {
  return (
    <Stack align="center" gap="sm" p="xl" className="empty">
      <Icon name={icon} size={32} />
      <Text c="dimmed" ta="center">
        {text}
      </Text>
      {children}
    </Stack>
  );
}
