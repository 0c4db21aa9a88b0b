import { Button, Stack } from "@mantine/core";
import { useClient } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import type { ListSearch } from "../../lib/list.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import type { AuditFilters } from "./filters.tsx";
import { auditTexts } from "./texts.ts";

type Format = "csv" | "ndjson";

/** A button that exports all events that match the filters as a file. */
export function Export({ filters, search }: { filters: AuditFilters; search: ListSearch }) {
  const texts = useTexts(auditTexts);
  const client = useClient();
  const save = useAction({
    async run(format: Format) {
      const file = await client.request("GET /api/organization/audit-events/export", {
        query: { format, ...filters, order: search.order, ...(search.search && { search: search.search }) },
      });
      download(file, `audit-${new Date().toISOString().slice(0, 10)}.${format}`);
    },
  });
  const button = (format: Format, label: string) => (
    <Button
      variant="default"
      title={texts.exported}
      disabled={save.isRunning}
      onClick={() => save.run(format)}
    >
      {label}
    </Button>
  );
  return (
    <>
      {button("csv", texts.exportCsv)}
      {button("ndjson", texts.exportJson)}
      <Stack>
        <ErrorAlert error={save.error} />
      </Stack>
    </>
  );
}

function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser starts the download later, so the object URL is revoked with a delay.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
