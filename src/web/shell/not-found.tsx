import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { errorPageTexts } from "./error-page-texts.ts";

/** The page for a path that does not exist. */
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
