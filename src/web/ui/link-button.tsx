import { Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = ButtonProps & {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
};

export function LinkButton({ search = {}, ...link }: Props) {
  return <Button component={Link} search={search as never} {...link} />;
}
