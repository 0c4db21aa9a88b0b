import { Text } from "@mantine/core";
import type { ReactNode } from "react";

export const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <Text component="div" size="sm" className="break">
    <b>{title}</b>: {children}
  </Text>
);
