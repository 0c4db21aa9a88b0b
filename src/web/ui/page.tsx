import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

/**
 * Whether no page was shown before. On the first page the browser keeps its own focus; on later pages the heading is
 * focused, unless a field of the page has taken the focus (`autoFocus`).
 */
let isFirst = true;

type PageProps = {
  /** The title of the page: its only first-level heading, and the title of the browser tab. */
  readonly title: string;
  readonly actions?: ReactNode;
  readonly about?: ReactNode;
  readonly picture?: ReactNode;
  /** The name of the page among the pages with the same heading, for the title of the browser tab. */
  readonly part?: string | undefined;
  readonly children?: ReactNode;
};

/**
 * The frame of every page: the title as heading, which is focused after navigation, and as title of the browser
 * tab.
 */
export function Page({ title, actions, about, picture, part, children }: PageProps) {
  const texts = useTexts(uiTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [part, title, texts.app].filter((name) => name !== undefined).join(" · ");
  }, [title, part, texts]);
  useEffect(() => {
    const hasFocus = heading.current?.closest("main")?.querySelector("input:focus") != null;
    if (!isFirst && !hasFocus) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <>
      <div className="page-head">
        {picture}
        <div className="page-title">
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {about !== undefined && <Text c="dimmed">{about}</Text>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </div>
      <Stack gap="lg">{children}</Stack>
    </>
  );
}

/** A section of a page with a heading. `state` is part of the heading. */
export function Section({
  title,
  state,
  actions,
  children,
}: {
  title: string;
  state?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <Paper component="section" withBorder className="section" aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id={id}>
          {title} {state}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
