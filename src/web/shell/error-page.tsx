import { Button } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { errorPageTexts } from "./error-page-texts.ts";

/**
 * The page that replaces one that failed to render, or whose files a newer build has replaced. Without a network it
 * tries again without a reload, which would show the browser's own error page.
 */
export function ErrorPage({ reset }: ErrorComponentProps) {
  const texts = useTexts(errorPageTexts);
  const isOffline = !navigator.onLine;
  return (
    <Page title={texts.broken} about={isOffline ? texts.offline : undefined}>
      <div>
        <Button onClick={() => (navigator.onLine ? location.reload() : reset())}>
          {isOffline ? texts.again : texts.reload}
        </Button>
      </div>
    </Page>
  );
}
