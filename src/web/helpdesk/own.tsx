import { Link } from "@tanstack/react-router";
import { useApiQuery } from "../../client/react.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Icon } from "../lib/icons.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { Hint } from "../ui/hint.tsx";
import { Part } from "../ui/parts.tsx";

const SHOWN = 5;

export function OwnTickets() {
  const texts = useTexts(helpdeskTexts);
  const { ago } = useFormat();
  const { data } = useApiQuery("GET /api/support/tickets", { query: { pageSize: SHOWN } });
  if (data === undefined) return null;
  return (
    <Part title={texts.myTickets} link={{ to: "/support/tickets", text: texts.toTickets }}>
      {data.data.length === 0 && <Hint>{texts.noTickets}</Hint>}
      <ul className="plain-list board-rows">
        {data.data.map(({ id, number, subject, lastActivityAt }) => (
          <li key={id}>
            <Icon name="ticket" size={16} />
            <Link to="/support/tickets/$id" params={{ id }} className="grow">{`#${number} ${subject}`}</Link>
            <time dateTime={lastActivityAt}>{ago(lastActivityAt)}</time>
          </li>
        ))}
      </ul>
    </Part>
  );
}
