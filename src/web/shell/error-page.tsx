import { Button } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { errorPageTexts } from "../texts/error-pages.ts";
import { Page } from "../ui/page.tsx";

/**
 * The page that is shown if another page failed to render, or if a newer build has replaced its files. Without a
 * network it tries again without a reload, because a reload would show the browser's own error page.
 */
export function ErrorPage({ reset }: { reset: () => void }) {
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
