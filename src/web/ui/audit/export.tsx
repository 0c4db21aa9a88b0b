import { Button, Menu } from "@mantine/core";
import { type ActionOptions, useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { save } from "../../lib/save-file.ts";
import { logTexts } from "../../texts/audit-log.ts";
import { ErrorAlert } from "../error-alert.tsx";

export type ExportFormat = "csv" | "ndjson";
type Props = {
  readonly load: (format: ExportFormat) => Promise<Blob>;
};

export function Export({ load }: Props) {
  const texts = useTexts(logTexts);
  const options: ActionOptions<ExportFormat, void> = {
    run: async (format) =>
      save(await load(format), `audit-${new Date().toISOString().slice(0, 10)}.${format}`),
  };
  const exported = useAction(options);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" loading={exported.isRunning} title={texts.exportHint}>
            {texts.exported}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => exported.run("csv")}>{texts.exportCsv}</Menu.Item>
          <Menu.Item onClick={() => exported.run("ndjson")}>{texts.exportJson}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ErrorAlert error={exported.error} />
    </>
  );
}
