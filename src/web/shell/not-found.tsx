import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { errorPageTexts } from "../texts/error-pages.ts";
import { Page } from "../ui/page.tsx";

export function NotFound() {
  const texts = useTexts(errorPageTexts);
  return (
    <div className="centered">
      <main>
        <Page title={texts.notFound} about={texts.notFoundAbout}>
          <Anchor component={Link} to="/">
            {texts.toHome}
          </Anchor>
        </Page>
      </main>
    </div>
  );
}
