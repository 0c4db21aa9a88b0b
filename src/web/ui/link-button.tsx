import { Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = ButtonProps & {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
};

/** A link to another page of the console that looks like a button. */
export function LinkButton({ search = {}, ...link }: Props) {
  return <Button component={Link} search={search as never} {...link} />;
}
