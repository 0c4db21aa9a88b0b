import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { Page } from "./page.tsx";

type Query = { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
type Props = {
  readonly of: Query;
  readonly height: number;
  /** The name of the placeholder for screen readers, if it stands for the whole content of a page. */
  readonly label?: string;
};

/** The error of a query, with a button that sends it again, or a placeholder until its data are there. */
export function Pending({ of: { data, error, refetch }, height, label }: Props) {
  return (
    <>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && (
        <Skeleton height={height} {...(label && { role: "status", "aria-label": label })} />
      )}
    </>
  );
}

type PageProps = { readonly title: string; readonly of: Query; readonly actions?: ReactNode };

export function PendingPage({ title, of, actions }: PageProps) {
  const { loading } = useTexts(uiTexts);
  return (
    <Page title={title} actions={actions}>
      <Pending of={of} height={200} label={loading} />
    </Page>
  );
}
