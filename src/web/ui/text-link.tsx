import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = AnchorProps & {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly title?: string | undefined;
  readonly onClick?: () => void;
  readonly children: ReactNode;
};

export function TextLink({ search = {}, ...link }: Props) {
  return <Anchor component={Link} size="sm" search={search as never} {...link} />;
}
