import { Button, Group, Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { LANGUAGES, useLanguage, useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";

export function Centered({ children }: { children: ReactNode }) {
  const texts = useTexts(uiTexts);
  const { language, choose } = useLanguage();
  const other = language === "en" ? "el" : "en";
  return (
    <div className="centered">
      <main id="main" tabIndex={-1}>
        <p className="brand">{texts.app}</p>
        <Paper withBorder p="lg">
          {children}
        </Paper>
        <Group justify="center" mt="md">
          <Button variant="subtle" size="compact-sm" lang={other} onClick={() => choose(other)}>
            {LANGUAGES[other]}
          </Button>
        </Group>
      </main>
    </div>
  );
}
