import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = AnchorProps & {
  readonly to: string;
  readonly title?: string | undefined;
  readonly onClick?: () => void;
  readonly children: ReactNode;
};

export const TextLink = (link: Props) => <Anchor component={Link} size="sm" search={{} as never} {...link} />;
