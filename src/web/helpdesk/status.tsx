import { NativeSelect } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { DESKS, staleAfter } from "./desks.ts";
import { STATUSES } from "./search.ts";
import { helpdeskTexts } from "./texts.ts";

type Status = Schemas["TicketStatus"];

const TONES = { OPEN: "warn", IN_PROGRESS: "info", RESOLVED: "good", CLOSED: undefined } as const;

export function StatusBadge({ status }: { status: Status }) {
  const texts = useTexts(helpdeskTexts);
  return (
    <span className="tag ticket-status" data-tone={TONES[status]}>
      {texts[status]}
    </span>
  );
}

export function StatusSelect({
  id,
  status,
  desk,
}: {
  id: string;
  status: Status;
  desk: "organization" | "platform";
}) {
  const texts = useTexts(helpdeskTexts);
  const client = useClient();
  const change = useAction({
    run: (next: Status) => client.request(DESKS[desk].status, { path: { id }, body: { status: next } }),
    invalidates: staleAfter(desk),
  });
  return (
    <>
      <NativeSelect
        label={texts.status}
        value={status}
        disabled={change.isRunning}
        onChange={({ currentTarget: { value } }) => change.run(value as Status)}
        data={STATUSES.map((value) => ({ value, label: texts[value] }))}
      />
      <ErrorAlert error={change.error} />
    </>
  );
}
