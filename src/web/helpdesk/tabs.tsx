import { useApiQuery } from "../../client/react.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Tabs } from "../ui/tabs.tsx";
import { STATUS_FILTERS, type StatusFilter, UNRESOLVED } from "./search.ts";

export function InboxTabs() {
  const texts = useTexts(helpdeskTexts);
  return (
    <Tabs
      label={texts.helpdesk}
      tabs={[
        { to: "/helpdesk/tickets", label: texts.tickets },
        { to: "/helpdesk/overview", label: texts.overview },
      ]}
    />
  );
}

type Props = {
  readonly value: StatusFilter | undefined;
  readonly onChange: (status: StatusFilter | undefined) => void;
};

export function StatusTabs({ value, onChange }: Props) {
  const texts = useTexts(helpdeskTexts);
  const { number } = useFormat();
  const { data } = useApiQuery("GET /api/organization/helpdesk/overview", {}, { staleTime: 30_000 });
  const countOf = (status: StatusFilter) =>
    status === UNRESOLVED ? data?.open : data?.byStatus.find((one) => one.status === status)?.count;
  const all = data?.byStatus.reduce((sum, { count }) => sum + count, 0);
  const tab = (status: StatusFilter | undefined, text: string, count: number | undefined) => (
    <button
      key={status ?? "all"}
      type="button"
      aria-pressed={value === status}
      onClick={() => onChange(status)}
    >
      {text} {count !== undefined && <span className="dimmed">{number(count)}</span>}
    </button>
  );
  return (
    <fieldset className="segments" aria-label={texts.status}>
      {tab(undefined, texts.all, all)}
      {STATUS_FILTERS.map((status) => tab(status, texts[status], countOf(status)))}
    </fieldset>
  );
}
