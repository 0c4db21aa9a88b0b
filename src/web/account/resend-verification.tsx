import { Alert, Button, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useClient } from "../../client/session-hooks.ts";
import { useAction } from "../lib/action.ts";
import { useTexts } from "../lib/i18n.tsx";
import { signInTexts } from "../texts/sign-in.ts";
import { ErrorAlert } from "../ui/error-alert.tsx";
import { keepAddress } from "./search.ts";
import { useBotCheck } from "./use-bot-check.tsx";

/**
 * Requests another verification mail, and keeps the address for the sign-in page after the link of the mail. The response does not reveal whether the account exists.
 */
export function ResendVerification({ email }: { email: string }) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const botCheck = useBotCheck();
  useEffect(() => keepAddress(email), [email]);
  const resend = useAction({
    run: () =>
      client
        .request("POST /api/auth/resend-verification", { body: { email, ...botCheck.body } })
        .finally(botCheck.reset)
        .then(() => true),
  });
  return (
    <Stack gap="xs">
      <Text size="sm">{texts.notThere}</Text>
      <ErrorAlert error={resend.error} />
      {botCheck.field}
      <Button variant="default" loading={resend.isRunning} onClick={() => resend.run()}>
        {texts.sendAgain}
      </Button>
      <div role="status">
        {resend.isDone && (
          <Alert color="green" variant="outline">
            {texts.sentAgain}
          </Alert>
        )}
      </div>
    </Stack>
  );
}
