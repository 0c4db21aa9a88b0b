import { Alert, Button, Group, Text } from "@mantine/core";
import { ApiError } from "../../client/index.ts";
import { useErrorText } from "../lib/errors.ts";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "./texts.ts";

/** An error as a sentence where it happened; nothing without one. The request's id is for whoever reads the logs. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useTexts(uiTexts);
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  const isOurs = error instanceof ApiError && error.status >= 500;
  return (
    <Alert color="red" role="alert" variant="outline">
      <Group justify="space-between">
        <div>
          <Text size="sm">{errorText(error)}</Text>
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
