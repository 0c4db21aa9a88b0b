import { Button, Group, Select, Stack, Text, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../../client/index.ts";
import { useCan } from "../../../client/react.ts";
import { useFormat } from "../../lib/format.ts";
import { LANGUAGES, type Language, useLanguage, useTexts } from "../../lib/i18n.tsx";
import { violationText } from "../../lib/violation-texts.ts";
import { invitationTexts } from "../../texts/invitations.ts";
import { violationTexts } from "../../texts/violations.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { type AssignmentInput, Assignments } from "../shared/assignments.tsx";
import { useRoleOptions } from "../shared/role-fields.tsx";
import { addressesIn, entriesWithoutAddress, isDoubtful } from "./addresses.ts";
import { Outcomes } from "./outcomes.tsx";
import { useSendInvitations } from "./send.ts";

export function Invite() {
  const texts = useTexts(invitationTexts);
  return (
    <Page title={texts.invite}>
      <Group gap="md">
        <TextLink to="/invitations">{texts.invitations}</TextLink>
        <TextLink to="/invitations/many">{texts.inviteMany}</TextLink>
      </Group>
      <InviteForm />
    </Page>
  );
}

/** The built-in role that is preselected if the user may assign it. */
const DEFAULT_ROLE = "MEMBER";

function InviteForm() {
  const texts = useTexts(invitationTexts);
  const { list, number } = useFormat();
  const whole = useCan("Invitations.Create", null) === true;
  const { roles, units, error } = useRoleOptions();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<AssignmentInput[] | null>(null);
  const [language, setLanguage] = useState<Language>(useLanguage().language);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const sending = useSendInvitations();
  const sentences = useTexts(violationTexts);
  const isDone =
    !sending.isRunning && sending.total > 0 && sending.outcomes.every(({ state }) => state === "ok");

  const defaultRole = roles.find(({ name }) => name === DEFAULT_ROLE) ?? roles[0];
  const assignments = chosen ?? [
    { roleId: defaultRole?.id ?? "", unitId: whole ? null : (units[0]?.id ?? null) },
  ];
  const emails = addressesIn(text);
  const ignored = entriesWithoutAddress(text);
  const doubtful = emails.filter(isDoubtful);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    const missing = {
      ...(emails.length === 0 && { emails: texts.noAddress }),
      ...(assignments.length === 0 && { assignments: texts.noRole }),
    };
    setProblems(missing);
    if (Object.keys(missing).length > 0) return;
    const outcomes = await sending.send(emails, { assignments, language });
    if (outcomes === null) return;
    const failed = outcomes.filter(({ state }) => state !== "ok");
    setText(failed.map(({ email }) => email).join("\n"));
    const { error } = failed[0] ?? {};
    const atRoles = error instanceof ApiError ? error.errors.filter(({ path }) => path !== "email") : [];
    setProblems(
      Object.fromEntries(atRoles.map(({ path, message }) => [path, violationText(sentences, path, message)])),
    );
  }
  // When all invitations are sent, their list replaces the form.
  if (isDone) return <Outcomes {...sending} onMore={sending.reset} />;
  return (
    <>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="lg" maw={760}>
          <Textarea
            label={texts.addresses}
            description={texts.addressesAbout}
            autosize
            minRows={4}
            maxRows={12}
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value)}
            error={problems.emails}
          />
          <Text size="sm" c="dimmed" role="status">
            {emails.length > 0 && texts.found(number(emails.length))}
            {ignored.length > 0 && ` ${texts.ignored(list(ignored))}`}
            {doubtful.length > 0 && ` ${texts.doubtful(list(doubtful))}`}
          </Text>
          <Addresses emails={emails} />
          <Section title={texts.rolesTitle}>
            <ErrorAlert error={error} />
            <Assignments
              value={assignments}
              onChange={setChosen}
              errorAt={(path) => problems[path]}
              roles={roles}
              units={units}
              whole={whole}
            />
          </Section>
          <Select
            label={texts.language}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={language}
            allowDeselect={false}
            maw={240}
            onChange={(value) => setLanguage(value === "el" ? "el" : "en")}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={sending.isRunning}>
              {texts.send}
            </Button>
          </Group>
        </Stack>
      </form>
      {sending.total > 0 && <Outcomes {...sending} />}
    </>
  );
}

const SHOWN = 50;

/** The addresses that were found in the text; doubtful ones are marked. */
function Addresses({ emails }: { emails: readonly string[] }) {
  const texts = useTexts(invitationTexts);
  if (emails.length === 0) return null;
  return (
    <ul className="chips plain-list" aria-label={texts.recipients}>
      {emails.slice(0, SHOWN).map((email) => (
        <li key={email} className="tag" data-tone={isDoubtful(email) ? "warn" : undefined}>
          {email}
        </li>
      ))}
    </ul>
  );
}
