import { Button, Group } from "@mantine/core";
import { useRef, useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useClient } from "../../client/react.ts";
import { useAction } from "../lib/action.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { helpdeskTexts } from "../texts/helpdesk.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { DESKS, type DeskName } from "./desks.ts";
import { Message, TicketEvent } from "./message.tsx";

type TicketMessage = Schemas["TicketMessage"];
/** Earlier messages of a ticket that were loaded, and the number of messages before them. */
type Kept = { messages: TicketMessage[]; earlierMessageCount: number };

const PAGE_SIZE = 100;

type Props = { ticket: Schemas["TicketWithMessages"]; desk: DeskName };

export function Messages({ ticket, desk }: Props) {
  const texts = useTexts(helpdeskTexts);
  const { number } = useFormat();
  const client = useClient();
  const list = useRef<HTMLOListElement>(null);
  const [kept, setKept] = useState<Kept | null>(null);
  const { messages, earlierMessageCount } = joined(kept, ticket);
  const earlier = useAction({
    isSingle: true,
    run: () =>
      client.request(DESKS[desk].messages, {
        path: { id: ticket.id },
        query: { before: messages[0]?.id, pageSize: PAGE_SIZE },
      }),
    onDone({ data, earlierMessageCount: left }) {
      setKept({ messages: [...data, ...messages], earlierMessageCount: left });
      // The button that had the focus has been removed, so the list of messages is focused.
      if (left === 0) list.current?.focus();
    },
  });
  return (
    <>
      {earlierMessageCount > 0 && (
        <Group justify="center">
          <Button variant="default" loading={earlier.isRunning} onClick={() => earlier.run()}>
            {texts.loadEarlier(number(earlierMessageCount))}
          </Button>
        </Group>
      )}
      <ErrorAlert error={earlier.error} />
      <ol className="plain-list messages" aria-label={texts.messages} ref={list} tabIndex={-1}>
        {withEvents(messages, earlierMessageCount > 0 ? [] : ticket.events).map((entry) =>
          "body" in entry ? (
            <Message key={entry.id} message={entry} />
          ) : (
            <TicketEvent key={`${entry.createdAt} ${entry.to}`} event={entry} />
          ),
        )}
      </ol>
    </>
  );
}

const withEvents = (messages: readonly TicketMessage[], events: readonly Schemas["TicketEvent"][]) =>
  [...messages, ...events].sort((one, other) => one.createdAt.localeCompare(other.createdAt));

/**
 * Merges earlier messages with the newest ones. If the two do not overlap, messages in between may be missing. Then
 * only the newest ones are used.
 */
function joined(kept: Kept | null, { messages, earlierMessageCount }: Kept): Kept {
  const at = kept?.messages.findIndex(({ id }) => id === messages[0]?.id) ?? -1;
  if (kept === null || at === -1) return { messages, earlierMessageCount };
  return { ...kept, messages: [...kept.messages.slice(0, at), ...messages] };
}
