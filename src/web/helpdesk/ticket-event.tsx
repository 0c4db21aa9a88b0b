import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "./texts.ts";

export function TicketEvent({ event }: { event: Schemas["TicketEvent"] }) {
  const texts = useTexts(helpdeskTexts);
  const { dateTime } = useFormat();
  const { actor, to, createdAt } = event;
  const who = actor === null ? texts.somebody : `${actor.firstName} ${actor.lastName}`;
  return (
    <li className="ticket-event dimmed">
      {texts.statusSet(who, texts[to])} · <time dateTime={createdAt}>{dateTime(createdAt)}</time>
    </li>
  );
}
