import { Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { uiTexts } from "../../ui/texts.ts";
import type { AuditFilters } from "./filters.tsx";
import { auditTexts } from "./texts.ts";
import type { useEventLabels } from "./words.ts";

type Props = {
  readonly event: Schemas["AuditEvent"] | null;
  readonly words: ReturnType<typeof useEventLabels>;
  readonly onClose: () => void;
  /** Called with the filters for similar events; if absent, the dialog offers none. */
  readonly onFilter?: (filters: AuditFilters) => void;
};

/** Shows all details of an audit event. */
export function EventDialog({ event, words, onClose, onFilter }: Props) {
  const texts = useTexts(auditTexts);
  const { close } = useTexts(uiTexts);
  return (
    <Modal
      opened={event !== null}
      onClose={onClose}
      title={event === null ? "" : words.title(event)}
      size="lg"
      closeButtonProps={{ "aria-label": close }}
    >
      {event !== null && (
        <Stack>
          <Facts event={event} words={words} />
          <Group gap="xs">
            {onFilter !== undefined && event.actor !== null && (
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  onFilter({ actorId: event.actor?.id });
                  onClose();
                }}
              >
                {texts.onlyActor(event.actor.email)}
              </Button>
            )}
            {onFilter !== undefined && event.targetId !== null && event.targetType !== null && (
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  onFilter({
                    targetId: event.targetId ?? undefined,
                    targetType: event.targetType ?? undefined,
                  });
                  onClose();
                }}
              >
                {texts.sameTarget}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Facts({ event, words }: { event: Schemas["AuditEvent"]; words: Props["words"] }) {
  const texts = useTexts(auditTexts);
  const { dateTime } = useFormat();
  const target = words.target(event);
  const details = words.details(event);
  const facts: [string, string[]][] = [
    [texts.time, [dateTime(event.time)]],
    [texts.actor, [event.actor?.email ?? event.serviceAccount?.name ?? texts.system]],
    ...(target === null ? [] : [[texts.target, [target]] as [string, string[]]]),
    ...(details.length === 0 ? [] : [[texts.details, details] as [string, string[]]]),
    ...(event.ip === null ? [] : [[texts.ip, [event.ip]] as [string, string[]]]),
    ...(event.requestId === null ? [] : [[texts.request, [event.requestId]] as [string, string[]]]),
  ];
  return (
    <Table variant="vertical">
      <Table.Tbody>
        {facts.map(([name, lines]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>
              {lines.map((line) => (
                <Text key={line} size="sm" className="break">
                  {line}
                </Text>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
