import { Anchor, Badge, Group, Modal, Paper, Skeleton, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useInViewport } from "@mantine/hooks";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useErrorText } from "../lib/errors.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { useObjectUrl } from "./images-field.tsx";
import { LinkedText } from "./linked-text.tsx";

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

type Image = Schemas["TicketAttachment"];

/** An image of a message. It is requested with the access token when it is scrolled into view. */
function Attachment({ attachment }: { attachment: Image }) {
  const { ref, inViewport } = useInViewport<HTMLLIElement>();
  const [wasSeen, setSeen] = useState(false);
  if (inViewport && !wasSeen) setSeen(true);
  const errorText = useErrorText();
  const { id } = attachment;
  const { data, error } = useApiQuery(
    "GET /api/support/attachments/{id}",
    { path: { id } },
    // An image of a message never changes, so it is cached without limit.
    { enabled: wasSeen, staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <li className="image" ref={ref}>
      {data !== undefined && <LoadedImage image={attachment} blob={data as Blob} />}
      {data === undefined && error === null && <Skeleton height={110} />}
      {error !== null && <Text size="xs">{errorText(error)}</Text>}
    </li>
  );
}

function LoadedImage({ image: { fileName, width, height }, blob }: { image: Image; blob: Blob }) {
  const texts = useTexts(helpdeskTexts);
  const url = useObjectUrl(blob);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <UnstyledButton onClick={open} aria-label={texts.showImage(fileName)}>
        <img src={url} alt="" width={width} height={height} />
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={close}
        size="auto"
        title={fileName}
        closeButtonProps={{ "aria-label": texts.closeImage }}
      >
        <img src={url} alt={fileName} className="image-whole" />
        <Text size="sm" mt="xs">
          <Anchor href={url} download={fileName}>
            {texts.download}
          </Anchor>
        </Text>
      </Modal>
    </>
  );
}
