import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useLanguage, useTexts } from "../../lib/i18n.tsx";
import { product } from "../../lib/product.ts";
import { useNames } from "../../organization/audit/names.ts";
import { dashboardTexts } from "../../texts/dashboard.ts";
import { useEventLabels } from "../../ui/audit/words.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Part } from "../../ui/parts.tsx";

export default function Activity({ events }: { events: readonly Schemas["AuditEvent"][] }) {
  const texts = useTexts(dashboardTexts);
  const { language } = useLanguage();
  const { ago, dateTime } = useFormat();
  const names = useNames(events);
  const words = useEventLabels(names);
  return (
    <Part title={texts.activity} link={{ to: "/audit", text: texts.toAudit }}>
      <ul className="plain-list board-rows">
        {events.map((event) => {
          const { actor, serviceAccount } = event;
          const nobody = (event.product ? product?.name[language] : null) ?? texts.system;
          const who = (actor && (names.person(actor.id) ?? actor.email)) ?? serviceAccount?.name ?? nobody;
          const about = [words.target(event), ...words.details(event)].find((line) => line !== null);
          return (
            <li key={event.id}>
              <Avatar name={who} id={event.actorId ?? ""} />
              <span className="grow">
                {event.text?.[language] ?? (
                  <>
                    <strong>{who}</strong> · {words.title(event)}
                    {about !== undefined && <> · {about}</>}
                  </>
                )}
              </span>
              <time dateTime={event.time} title={dateTime(event.time)}>
                {ago(event.time)}
              </time>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
