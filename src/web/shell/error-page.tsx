import { Button } from "@mantine/core";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { errorPageTexts } from "./error-page-texts.ts";

/** Shown instead of a page that failed to render, or whose files a newer build has replaced. */
export function ErrorPage() {
  const texts = useTexts(errorPageTexts);
  return (
    <Page title={texts.broken}>
      <div>
        <Button onClick={() => location.reload()}>{texts.reload}</Button>
      </div>
    </Page>
  );
}
