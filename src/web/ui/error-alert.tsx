import { Alert, Button, Group, Text } from "@mantine/core";
import { ApiError } from "../../client/index.ts";
import { useErrorText } from "../lib/errors.ts";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "./texts.ts";

type Props = {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What an error means here, by its code, where the usual sentence would not fit. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
};

/** Shows an error as a sentence, with the request's id to search the logs for; renders nothing without an error. */
export function ErrorAlert({ error, onRetry, sentenceOf = {} }: Props) {
  const texts = useTexts(uiTexts);
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const isOurs = error instanceof ApiError && error.status >= 500;
  return (
    <Alert color="red" role="alert" variant="outline">
      <Group justify="space-between">
        <div>
          <Text size="sm">{(error instanceof ApiError && sentenceOf[error.code]) || errorText(error)}</Text>
          {isOurs && (
            <Text size="xs" c="dimmed">
              {texts.requestId(error.requestId)}
            </Text>
          )}
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
