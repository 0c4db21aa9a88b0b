import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApiQuery, useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Icon } from "../../lib/icons.tsx";
import { Part } from "../../ui/parts.tsx";
import { dashboardTexts } from "./texts.ts";

const SHOWN = 5;

/** The user's own open todos and tickets. */
export function OwnRecords() {
  const mayListTodos = useCan("Todos.Read");
  return (
    <div className="columns">
      {mayListTodos && <Todos />}
      <Tickets />
    </div>
  );
}

function Todos() {
  const texts = useTexts(dashboardTexts);
  const { ago } = useFormat();
  const { data } = useApiQuery("GET /api/todos", { query: { completed: false, pageSize: SHOWN } });
  if (data === undefined) return null;
  return (
    <Part title={texts.myTodos} link={{ to: "/todos", text: texts.toTodos }}>
      {data.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.noTodos}
        </Text>
      )}
      <ul className="board-rows">
        {data.data.map(({ id, title, createdAt }) => (
          <li key={id}>
            <span aria-hidden="true">○</span>
            <span className="grow">{title}</span>
            <time dateTime={createdAt}>{ago(createdAt)}</time>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Tickets() {
  const texts = useTexts(dashboardTexts);
  const { ago } = useFormat();
  const { data } = useApiQuery("GET /api/support/tickets", { query: { pageSize: SHOWN } });
  if (data === undefined) return null;
  return (
    <Part title={texts.myTickets} link={{ to: "/support/tickets", text: texts.toTickets }}>
      {data.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.noTickets}
        </Text>
      )}
      <ul className="board-rows">
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
