import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

/** A link to another page of the console. */
export const PageLink = createLink((props: AnchorProps & AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <Anchor size="sm" underline="always" {...props} />
));
