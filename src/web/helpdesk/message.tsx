import { Badge, Group, Paper, Text } from "@mantine/core";
import type { Schemas } from "../../client/index.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { Attachment } from "./attachment.tsx";
import { LinkedText } from "./linked-text.tsx";
import { helpdeskTexts } from "./texts.ts";

export function Message({ message }: { message: Schemas["TicketMessage"] }) {
  const texts = useTexts(helpdeskTexts);
  const { dateTime } = useFormat();
  const { author, body, internal, staffScope, via, attachments, createdAt } = message;
  return (
    <li>
      <Paper
        withBorder
        p="md"
        className="message"
        data-internal={internal || undefined}
        data-staff={message.asStaff || undefined}
      >
        <Group justify="space-between" mb="xs">
          <Group gap="xs">
            <Text fw={600} size="sm">
              {author === null ? texts.deletedAccount : `${author.firstName} ${author.lastName}`}
            </Text>
            {via !== null && (
              <Text size="sm" c="dimmed">
                {texts.via(via.name)}
              </Text>
            )}
            {staffScope !== null && (
              <Badge variant="dot" color="blue">
                {staffScope === "PLATFORM" ? texts.platformStaff : (author?.organizationName ?? texts.staff)}
              </Badge>
            )}
            {internal && (
              <Badge variant="dot" color="orange">
                {texts.note}
              </Badge>
            )}
          </Group>
          <Text component="time" dateTime={createdAt} size="xs" c="dimmed">
            {dateTime(createdAt)}
          </Text>
        </Group>
        {body !== "" && (
          <p className="message-text">
            <LinkedText text={body} />
          </p>
        )}
        {attachments.length > 0 && (
          <ul className="plain-list images">
            {attachments.map((attachment) => (
              <Attachment key={attachment.id} attachment={attachment} />
            ))}
          </ul>
        )}
      </Paper>
    </li>
  );
}

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
