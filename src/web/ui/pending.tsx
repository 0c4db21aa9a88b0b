import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { Page } from "./page.tsx";

type Query = { readonly error: unknown; readonly refetch: () => unknown };
type Props = { readonly title: string; readonly of: Query; readonly actions?: ReactNode };

/** A page whose record is being loaded: a placeholder, or the error of loading the record. */
export function PendingPage({ title, of: { error, refetch }, actions }: Props) {
  const texts = useTexts(uiTexts);
  return (
    <Page title={title} actions={actions}>
      {error === null ? (
        <Skeleton height={200} role="status" aria-label={texts.loading} />
      ) : (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}
