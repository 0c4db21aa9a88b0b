import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../lib/i18n.tsx";
import { Page } from "../ui/page.tsx";
import { shellTexts } from "./texts.ts";

/** For a path that no page has. */
export function NotFound() {
  const texts = useTexts(shellTexts);
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
