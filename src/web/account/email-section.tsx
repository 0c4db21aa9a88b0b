import { Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../client/index.ts";
import { useApiQuery } from "../../client/react.ts";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useClaims } from "../lib/claims.ts";
import { useApiForm } from "../lib/form.ts";
import { useFormat } from "../lib/format.ts";
import { useTexts } from "../lib/i18n.tsx";
import { passkeyTexts } from "../texts/passkeys.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { Form } from "../ui/form.tsx";
import { Hint } from "../ui/hint.tsx";
import { Section } from "../ui/page.tsx";
import { Pending } from "../ui/pending.tsx";

const INVALIDATES = ["GET /api/profile/email"] as const;

export function EmailSection() {
  const texts = useTexts(passkeyTexts);
  const { dateTime } = useFormat();
  const [isChanging, setChanging] = useState(false);
  // A confined session does not load it: the 403 would open the dialog for a proof unasked.
  const { confined: isConfined = false } = useClaims();
  const query = useApiQuery("GET /api/profile/email", {}, { enabled: !isConfined });
  const { data } = query;
  const leave = () => setChanging(false);
  return (
    <Section title={texts.email}>
      <Stack gap="sm">
        {isConfined ? <Hint>{texts.confined}</Hint> : <Pending of={query} height={60} />}
        {data !== undefined && <Text>{data.email}</Text>}
        {data?.undoUntil && <Hint>{texts.undoUntil(dateTime(data.undoUntil))}</Hint>}
        {data?.pending && <PendingChange email={data.email} pending={data.pending} />}
        {data && isChanging && <Change onDone={leave} />}
        {data && !isChanging && (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setChanging(true)}>
              {texts.changeEmail}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}

type PendingProps = { email: string; pending: NonNullable<Schemas["EmailState"]["pending"]> };

function PendingChange({ email, pending }: PendingProps) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const { dateTime } = useFormat();
  const cancel = useAction({
    run: () => client.request("DELETE /api/profile/email"),
    invalidates: INVALIDATES,
  });
  const line = (isOpened: boolean, address: string) =>
    isOpened ? texts.opened(address) : texts.unopened(address);
  return (
    <Paper withBorder p="sm" role="status">
      <Text size="sm" fw={600}>
        {texts.pending(pending.email)}
      </Text>
      <Text size="sm">{line(pending.oldConfirmed, email)}</Text>
      <Text size="sm">{line(pending.newConfirmed, pending.email)}</Text>
      <Hint>{texts.expires(dateTime(pending.expiresAt))}</Hint>
      <ErrorAlert error={cancel.error} />
      <Group justify="flex-end" mt="xs">
        <Button size="compact-sm" variant="default" loading={cancel.isRunning} onClick={() => cancel.run()}>
          {texts.cancelChange}
        </Button>
      </Group>
    </Paper>
  );
}

function Change({ onDone }: { onDone: () => void }) {
  const client = useClient();
  const texts = useTexts(passkeyTexts);
  const form = useApiForm({
    initialValues: { email: "" },
    save: (body) => client.request("POST /api/profile/email", { body }),
    onDone,
    invalidates: INVALIDATES,
    fieldOf: { EMAIL_TAKEN: "email", CONFLICT: "email" },
    sentenceOf: { CONFLICT: texts.ownEmail },
  });
  return (
    <Form of={form} submit={texts.changeEmail} onCancel={onDone}>
      <TextInput
        label={texts.newEmail}
        description={texts.changeEmailAbout}
        type="email"
        autoComplete="email"
        autoFocus
        {...form.field("email")}
      />
    </Form>
  );
}
