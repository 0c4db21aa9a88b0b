import { ActionIcon, Button, CloseIcon, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, type Ref, useId, useRef, useState } from "react";
import { useCan } from "../../../client/react.ts";
import { useAction } from "../../lib/action.ts";
import { useClaims } from "../../lib/claims.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { breakGlassTexts } from "../../texts/sign-on-policy.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import { Hint } from "../../ui/hint.tsx";
import { PersonSelect } from "../../ui/person-select.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { PolicyChange, SignOnPolicy } from "./policy-values.ts";

type Member = SignOnPolicy["breakGlass"][number];

const MAX = 5;

type Props = {
  readonly of: SignOnPolicy;
  readonly change: (body: PolicyChange) => Promise<void>;
};

/**
 * The people who act whatever the policy, with fields that add and remove them. Each change is saved at once, so that
 * the members who could not act under the policy are counted without them.
 */
export function BreakGlass({ of: policy, change }: Props) {
  const texts = useTexts(breakGlassTexts);
  const { userId: me = null } = useClaims();
  const mayChoose = Boolean(useCan("SingleSignOn.Bypass"));
  const [chosen, setChosen] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const action = useAction({
    run: (breakGlassUserIds: string[]) => change({ breakGlassUserIds }),
    invalidates: ["GET /api/organization/sign-on", "GET /api/organization/sign-on/affected"],
    onDone() {
      setChosen(null);
      // The button that was pressed may be gone.
      heading.current?.focus();
    },
    isSingle: true,
  });
  if (!mayChoose) return <BreakGlassList of={policy} />;
  const ids = policy.breakGlass.map(({ userId }) => userId);
  const add = (userId: string) => action.run([...ids.filter((id) => id !== userId), userId]);
  return (
    <BreakGlassList
      of={policy}
      heading={heading}
      actionOf={({ userId, email }) => (
        <ActionIcon
          variant="default"
          aria-label={texts.remove(email)}
          title={texts.remove(email)}
          onClick={() => action.run(ids.filter((id) => id !== userId))}
        >
          <CloseIcon size="16" />
        </ActionIcon>
      )}
    >
      {(me === null || !ids.includes(me)) && <Hint>{texts.aboutMe}</Hint>}
      <ErrorAlert error={action.error} sentenceOf={{ BREAK_GLASS_REQUIRED: texts.last }} />
      {ids.length < MAX && (
        <Group gap="xs" align="flex-end">
          <div className="sign-on-person">
            <PersonSelect
              label={texts.person}
              placeholder={texts.personPlaceholder}
              value={chosen}
              onChange={setChosen}
            />
          </div>
          <Button
            variant="default"
            disabled={chosen === null}
            loading={action.isRunning}
            onClick={() => chosen !== null && add(chosen)}
          >
            {texts.add}
          </Button>
          {me !== null && !ids.includes(me) && (
            <Button variant="default" loading={action.isRunning} onClick={() => add(me)}>
              {texts.addMe}
            </Button>
          )}
        </Group>
      )}
    </BreakGlassList>
  );
}

type ListProps = {
  readonly of: SignOnPolicy;
  readonly heading?: Ref<HTMLHeadingElement>;
  readonly actionOf?: (member: Member) => ReactNode;
  readonly children?: ReactNode;
};

export function BreakGlassList({ of: { breakGlass }, heading, actionOf, children }: ListProps) {
  const texts = useTexts(breakGlassTexts);
  const { userId: me } = useClaims();
  const id = useId();
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title order={3} size="h5" id={id} ref={heading} tabIndex={-1}>
        {texts.title}
      </Title>
      <Hint>{texts.about}</Hint>
      {breakGlass.length === 0 && <Text size="sm">{texts.none}</Text>}
      {breakGlass.length > 0 && (
        <ul className="plain-list sign-on-people" aria-labelledby={id}>
          {breakGlass.map((member) => (
            <li key={member.userId}>
              <Group gap="xs">
                <span className="break">{member.email}</span>
                <span className="tag" data-tone={member.usable ? "good" : "bad"}>
                  {member.usable ? texts.ready : texts.notReady}
                </span>
                {actionOf?.(member)}
              </Group>
              {!member.usable && <Hint>{texts.notReadyAbout}</Hint>}
              {!member.usable && member.userId === me && (
                <TextLink to="/profile/security">{texts.secondFactor}</TextLink>
              )}
            </li>
          ))}
        </ul>
      )}
      {children}
    </Stack>
  );
}
