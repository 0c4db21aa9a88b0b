import { useApiQuery } from "../../client/react.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Hint } from "../ui/hint.tsx";
import { Part } from "../ui/parts.tsx";
import { todoTexts } from "./texts.ts";

const SHOWN = 5;

/** The user's own open todos, on the home page. */
export function OwnTodos() {
  const texts = useTexts(todoTexts);
  const { ago } = useFormat();
  const { data } = useApiQuery("GET /api/todos", { query: { completed: false, pageSize: SHOWN } });
  if (data === undefined) return null;
  return (
    <Part title={texts.myTodos} link={{ to: "/todos", text: texts.toTodos }}>
      {data.data.length === 0 && <Hint>{texts.noTodos}</Hint>}
      <ul className="plain-list board-rows">
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
