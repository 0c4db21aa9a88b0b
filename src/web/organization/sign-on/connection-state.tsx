import { Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../../client/index.ts";
import { useFormat } from "../../lib/format.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { connectionStateTexts } from "../../texts/sign-on-tests.ts";

type Connection = Schemas["Connection"];

const TONES = { DRAFT: "info", ENABLED: "good", DISABLED: undefined } as const;
/** From so many days before its end, the secret is mentioned. */
const DAYS = 30;
const DAY_MS = 86_400_000;

/** Returns a function that says in words what a code of a connection or of its test means. */
export function useReason(): (code: string) => string {
  const texts = useTexts(connectionStateTexts);
  const reasons = texts as unknown as Partial<Record<string, string>>;
  return (code) => reasons[code] ?? texts.UNKNOWN;
}

/** Shows whether people can sign in by a connection, and what needs attention. */
export function ConnectionState({ of: { status, testedAt, lastError, oidc } }: { of: Connection }) {
  const texts = useTexts(connectionStateTexts);
  const reasonOf = useReason();
  const { ago } = useFormat();
  return (
    <Stack gap={4}>
      <Group gap={6}>
        <span className="tag" data-tone={TONES[status]}>
          {texts[status]}
        </span>
        <span className="tag" data-tone={testedAt === null ? "warn" : "good"}>
          {testedAt === null ? texts.notTested : texts.tested}
        </span>
      </Group>
      {lastError !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {texts.lastError(ago(lastError.at), reasonOf(lastError.code))}
        </Text>
      )}
      <SecretEnd at={oidc.clientSecretExpiresAt} />
    </Stack>
  );
}

function SecretEnd({ at }: { at: string | null }) {
  const texts = useTexts(connectionStateTexts);
  const { ago } = useFormat();
  const days = at === null ? Number.POSITIVE_INFINITY : (new Date(at).getTime() - Date.now()) / DAY_MS;
  if (at === null || days > DAYS) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      {days < 0 ? texts.secretExpired : texts.secretExpires(ago(at))}
    </Text>
  );
}
