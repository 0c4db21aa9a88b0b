import { Title } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { capitalized } from "../../lib/capitalized.ts";
import { LOCALES, useFormat } from "../../lib/format.ts";
import { useLanguage, useTexts } from "../../lib/i18n.tsx";
import { Icon } from "../../lib/icons.tsx";
import { logTexts } from "../../texts/audit-log.ts";
import { ListFrame, type ListFrameProps } from "../list-frame.tsx";
import { iconOf, toneOf } from "./kinds.ts";
import type { Event, LinkedNames } from "./names.ts";
import { type Describer, useDescriber } from "./sentence.tsx";
import { useEventLabels } from "./words.ts";

const loadDrawer = () => import("./event-drawer.tsx");
const EventDrawer = lazy(loadDrawer);

type Props = ListFrameProps<Event> & {
  readonly label: string;
  readonly names: LinkedNames;
  readonly logPath: string;
  readonly hasOrganizations?: boolean;
};

/**
 * A list of audit events as sentences, by day. A click on a row opens its details at the side; their code is loaded
 * then.
 */
export function EventList({ label, names, logPath, hasOrganizations = false, ...frame }: Props) {
  const words = useEventLabels(names);
  const describer = useDescriber(names, words);
  const [shown, setShown] = useState<Event | null>(null);
  const [isOpen, setOpen] = useState(false);
  const dayOf = useDayNames();
  const onShow = (event: Event) => {
    setShown(event);
    setOpen(true);
  };
  const rows = { describer, hasOrganizations, onShow };
  return (
    <>
      <ListFrame {...frame}>
        {(events) => (
          <section aria-label={label}>
            {byDay(events).map(([day, ofDay]) => (
              <div key={day}>
                <Title order={2} size="h6" className="log-day">
                  {dayOf(day)}
                </Title>
                <ul className="plain-list">
                  {ofDay.map((event) => (
                    <EventRow key={event.id} event={event} {...rows} />
                  ))}
                </ul>
              </div>
            ))}
          </section>
        )}
      </ListFrame>
      <Suspense>
        {shown !== null && (
          <EventDrawer
            event={shown}
            isOpen={isOpen}
            words={words}
            describer={describer}
            hasOrganization={hasOrganizations}
            logPath={logPath}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

type RowProps = {
  readonly event: Event;
  readonly describer: Describer;
  readonly hasOrganizations: boolean;
  readonly onShow: (event: Event) => void;
};

/** An event in a line. Its button covers the line, below the links. */
function EventRow({ event, describer, hasOrganizations, onShow }: RowProps) {
  const texts = useTexts(logTexts);
  const { ago, dateTime } = useFormat();
  const { time, organizationId } = event;
  const exact = dateTime(time);
  return (
    <li className="log-row">
      <span className="log-icon" data-tone={toneOf(event)}>
        <Icon name={iconOf(event)} size={16} />
      </span>
      <div className="log-text">
        {describer.sentence(event)}
        {hasOrganizations && organizationId !== null && (
          <span className="dimmed"> · {describer.organization(organizationId)}</span>
        )}
      </div>
      <button
        type="button"
        className="log-open"
        aria-label={texts.details(`${describer.title(event)}, ${exact}`)}
        title={exact}
        onClick={() => onShow(event)}
        onPointerEnter={() => void loadDrawer().catch(() => {})}
      >
        <span aria-hidden="true">›</span>
      </button>
      <time className="dimmed no-wrap" dateTime={time}>
        {ago(time)}
      </time>
    </li>
  );
}

/** Returns the day of a moment in the browser's time zone. */
const dayIn = (time: string) => new Date(time).toDateString();

function byDay(events: readonly Event[]): [string, Event[]][] {
  const days = new Map<string, Event[]>();
  for (const event of events) {
    const day = dayIn(event.time);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}

const DAY_MS = 86_400_000;

/** Returns a function that names a day: "Today", "Yesterday", or its date. */
function useDayNames(): (day: string) => string {
  const { language } = useLanguage();
  const relative = new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" });
  const date = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "full" });
  const now = Date.now();
  const near = [0, -1].map((days) => [new Date(now + days * DAY_MS).toDateString(), days] as const);
  return (day) => {
    const found = near.find(([name]) => name === day);
    return found === undefined ? date.format(new Date(day)) : capitalized(relative.format(found[1], "day"));
  };
}
