import { Badge, Button, Group, List, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError } from "../../../client/index.ts";
import { useErrorText } from "../../lib/errors.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { violationText } from "../../lib/violation-texts.ts";
import { invitationTexts } from "../../texts/invitations.ts";
import { violationTexts } from "../../texts/violations.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Section } from "../../ui/page.tsx";
import type { Outcome } from "./send.ts";

type OutcomesProps = {
  outcomes: readonly Outcome[];
  total: number;
  isRunning: boolean;
  /** Called to invite more people; absent while the form is visible. */
  onMore?: () => void;
};

export function Outcomes({ outcomes, total, isRunning, onMore }: OutcomesProps) {
  const texts = useTexts(invitationTexts);
  const { number } = useFormat();
  const errorText = useErrorText();
  const sentences = useTexts(violationTexts);
  const done = useRef<HTMLAnchorElement>(null);
  // The results replace the form with its focused button.
  useEffect(() => done.current?.focus(), []);
  const hasFailed = outcomes.some(({ state }) => state !== "ok");
  const reason = ({ state, error }: Outcome) => {
    if (state === "skipped") return texts.notSent;
    const at = error instanceof ApiError ? error.errors.find(({ path }) => path === "email") : undefined;
    return at === undefined ? errorText(error) : violationText(sentences, at.path, at.message);
  };
  const limit = outcomes.find(
    ({ error }) => error instanceof ApiError && error.code === "PLAN_LIMIT_REACHED",
  );
  return (
    <Section title={texts.results}>
      {/* The limit's numbers, and a link to the plans. */}
      {limit !== undefined && <ErrorAlert error={limit.error} />}
      <Text size="sm" role="status" mb="xs">
        {isRunning && texts.sending(number(outcomes.length), number(total))}
        {!isRunning && (hasFailed ? texts.failedStay : texts.allSent(number(total)))}
      </Text>
      <List listStyleType="none" spacing="xs">
        {outcomes.map((outcome) => (
          <List.Item key={outcome.email}>
            <Group gap="xs">
              <Text size="sm" fw={500} className="break">
                {outcome.email}
              </Text>
              {outcome.state === "ok" ? (
                <Badge variant="default">{texts.ok}</Badge>
              ) : (
                <Text size="sm" c="var(--mantine-color-error)">
                  {reason(outcome)}
                </Text>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
      {onMore !== undefined && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onMore}>
            {texts.more}
          </Button>
          <Button component={Link} to="/invitations" ref={done}>
            {texts.done}
          </Button>
        </Group>
      )}
    </Section>
  );
}
