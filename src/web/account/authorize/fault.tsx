import { Alert, Button, Text } from "@mantine/core";
import { ApiError, type ApiErrorOf } from "../../../client/index.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { Hint } from "../../ui/hint.tsx";
import { Page } from "../../ui/page.tsx";
import { safeAddress } from "./redirect.ts";

type Begun = ApiErrorOf<"POST /api/oauth/authorizations">;
type Details = Extract<Begun, { code: "INVALID_AUTHORIZATION_REQUEST" }>["details"];

const CODES = ["INVALID_AUTHORIZATION_REQUEST", "VALIDATION_FAILED", "NOT_FOUND"];

/** Whether trying again does not help: the request of the app is wrong, or there are no connected apps here. */
export const isFault = (error: unknown): error is ApiError =>
  error instanceof ApiError && CODES.includes(error.code);

/** Says what is wrong with the request of an app, and leads back to it by a button if it may be told. */
export function Fault({ error }: { error: ApiError }) {
  const texts = useTexts(authorizeTexts);
  const details = error.details as Details | undefined;
  const back = typeof details?.redirectTo === "string" ? safeAddress(details.redirectTo) : null;
  const sentences: Readonly<Record<string, string>> = {
    invalid_client: texts.invalidClient,
    invalid_target: texts.invalidTarget,
  };
  return (
    <Page title={texts.faultTitle}>
      <Alert color="red" variant="outline" className="alert-text" role="alert">
        <Text size="sm">
          {error.code === "NOT_FOUND"
            ? texts.isOff
            : (sentences[details?.error ?? ""] ?? texts.invalidRequest)}
        </Text>
      </Alert>
      {details !== undefined && (
        <Hint className="break">
          {texts.details([details.error, details.parameter].filter(Boolean).join(", "))}
        </Hint>
      )}
      {back !== null && (
        <Button variant="default" onClick={() => location.replace(back.href)}>
          {texts.backTo(back.hostname)}
        </Button>
      )}
    </Page>
  );
}
