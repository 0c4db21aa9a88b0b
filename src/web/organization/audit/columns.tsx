import { Button, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { auditTexts } from "./texts.ts";
import type { useEventLabels } from "./words.ts";

type Event = Schemas["AuditEvent"];

/** Returns the columns of a table of audit events. */
export function useEventColumns(
  words: ReturnType<typeof useEventLabels>,
  onShow: (event: Event) => void,
): Column<Event>[] {
  const texts = useTexts(auditTexts);
  const { dateTime } = useFormat();
  return [
    {
      key: "time",
      title: texts.time,
      sort: "time",
      render: ({ time }) => (
        <Text size="sm" className="nowrap">
          {dateTime(time)}
        </Text>
      ),
    },
    {
      key: "what",
      title: texts.what,
      render: (event) => (
        <What title={words.title(event)} target={words.target(event)} lines={words.details(event)} />
      ),
    },
    {
      key: "actor",
      title: texts.actor,
      render: ({ actor, serviceAccount }) => {
        const name = actor?.email ?? serviceAccount?.name ?? texts.system;
        return (
          <div className="person">
            <Avatar name={name.split("@")[0] ?? name} id={actor?.id ?? name} />
            <span className="break">{name}</span>
          </div>
        );
      },
    },
    {
      key: "details",
      title: "",
      render: (event) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${texts.details}: ${words.title(event)}, ${dateTime(event.time)}`}
          onClick={() => onShow(event)}
        >
          {texts.details}
        </Button>
      ),
    },
  ];
}

type WhatProps = {
  readonly title: string;
  readonly target: string | null;
  readonly lines: readonly string[];
};

function What({ title, target, lines }: WhatProps) {
  return (
    <Stack gap={0}>
      <Text size="sm">
        <Text span fw={600}>
          {title}
        </Text>
        {target !== null && ` · ${target}`}
      </Text>
      {lines.map((line) => (
        <Text key={line} size="sm" c="dimmed" className="break" lineClamp={2}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}
