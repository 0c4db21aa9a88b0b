import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../lib/icons.tsx";

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
