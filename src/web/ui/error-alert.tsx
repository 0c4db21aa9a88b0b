import { Alert, Button, Group, Text } from "@mantine/core";
import { ApiError } from "../../client/index.ts";
import { useErrorText } from "../lib/errors.ts";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";
import { Hint } from "./hint.tsx";
import { PageLink } from "./page-link.tsx";

type Props = {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Texts for error codes whose usual sentence does not fit here. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
};

/** Shows an error as a sentence, with the request id for searching the logs; renders nothing without an error. */
export function ErrorAlert({ error, onRetry, sentenceOf = {} }: Props) {
  const texts = useTexts(uiTexts);
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const limit = limitOf(error);
  const isOurs = error instanceof ApiError && error.status >= 500;
  return (
    <Alert color="red" role="alert" variant="outline">
      <Group justify="space-between">
        <div>
          <Text size="sm">{(error instanceof ApiError && sentenceOf[error.code]) || errorText(error)}</Text>
          {limit !== null && (
            <Text size="sm">
              {texts.limitUsed(limit.used, limit.max)} <PageLink to="/billing">{texts.toBilling}</PageLink>
            </Text>
          )}
          {isOurs && <Hint size="xs">{texts.requestId(error.requestId)}</Hint>}
        </div>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function limitOf(error: unknown): { used: number; max: number } | null {
  if (!(error instanceof ApiError) || error.code !== "PLAN_LIMIT_REACHED") return null;
  return (error.details as { used: number; max: number } | undefined) ?? null;
}
