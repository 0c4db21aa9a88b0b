import { Checkbox, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../client/index.ts";
import { useApiQuery, useClient } from "../../../client/react.ts";
import { useApiForm } from "../../lib/form.ts";
import { useFormat } from "../../lib/format.ts";
import { LANGUAGES, useLanguage, useTexts } from "../../lib/i18n.tsx";
import { setupLinkTexts } from "../../texts/sign-on.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { DialogButton } from "../../ui/dialog.tsx";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Form } from "../../ui/form.tsx";
import { Hint } from "../../ui/hint.tsx";
import { Section } from "../../ui/page.tsx";
import { useSignOnRights } from "./rights.ts";

type Link = Schemas["SetupLink"];
type Part = Link["what"][number];

const LINKS = ["GET /api/organization/sign-on/setup-links"] as const;
/** More than are made in the seven days in which a link is open. */
const MANY = 100;

/** The setup links that are open, and a button that mails another one. Only its mail contains the link. */
export function SetupLinks() {
  const texts = useTexts(setupLinkTexts);
  const { mayUpdate, mayEnd } = useSignOnRights();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { data, error, refetch } = useApiQuery("GET /api/organization/sign-on/setup-links", {
    query: { pageSize: MANY },
  });
  const open = data?.data.filter(({ status }) => status === "OPEN") ?? [];
  const send = mayUpdate && (
    <DialogButton label={texts.send}>
      {(close) => (
        <SendForm
          onCancel={close}
          onSent={({ email }) => {
            setSentTo(email);
            close();
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <Section title={texts.title} actions={send}>
      <Stack gap="sm">
        <Hint>{texts.about}</Hint>
        <Text size="sm" role="status" className="break">
          {sentTo !== null && texts.sent(sentTo)}
        </Text>
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        <div tabIndex={-1} data-keeps-focus>
          {open.length > 0 && (
            <Stack component="ul" gap="sm" className="plain-list" aria-label={texts.open}>
              {open.map((link) => (
                <OpenLink key={link.id} link={link} mayRevoke={mayEnd} />
              ))}
            </Stack>
          )}
        </div>
      </Stack>
    </Section>
  );
}

function OpenLink({ link, mayRevoke }: { link: Link; mayRevoke: boolean }) {
  const texts = useTexts(setupLinkTexts);
  const client = useClient();
  const { dateTime } = useFormat();
  const { id, email, what, expiresAt, createdBy } = link;
  const facts = [
    ...what.map((part) => texts[part]),
    texts.until(dateTime(expiresAt)),
    ...(createdBy === null ? [] : [texts.by(createdBy.email)]),
  ];
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm" fw={500} className="break">
            {email}
          </Text>
          <Hint size="xs" className="break">
            {facts.join(" · ")}
          </Hint>
        </div>
        {mayRevoke && (
          <ConfirmButton
            label={texts.revoke}
            aria-label={texts.revokeOf(email)}
            size="compact-sm"
            question={texts.revokeQuestion(email)}
            run={() => client.request("DELETE /api/organization/sign-on/setup-links/{id}", { path: { id } })}
            invalidates={LINKS}
          />
        )}
      </Group>
    </li>
  );
}

type FormProps = { readonly onSent: (link: Link) => void; readonly onCancel: () => void };

function SendForm({ onSent, onCancel }: FormProps) {
  const texts = useTexts(setupLinkTexts);
  const client = useClient();
  const { language } = useLanguage();
  const form = useApiForm({
    initialValues: { email: "", what: ["domains", "connection"] as Part[], language },
    save: (body, idempotencyKey) =>
      client.request("POST /api/organization/sign-on/setup-links", { body, idempotencyKey }),
    invalidates: LINKS,
    sentenceOf: { CONFLICT: texts.tooMany },
    onDone: onSent,
  });
  return (
    <Form of={form} submit={texts.sendIt} onCancel={onCancel}>
      <TextInput
        type="email"
        label={texts.email}
        description={texts.emailAbout}
        autoComplete="off"
        {...form.field("email")}
      />
      <Checkbox.Group label={texts.what} {...form.field("what")}>
        <Stack gap="xs" mt={4}>
          <Checkbox value="domains" label={texts.domains} />
          <Checkbox value="connection" label={texts.connection} />
        </Stack>
      </Checkbox.Group>
      <Select
        label={texts.language}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.field("language")}
      />
    </Form>
  );
}
