import { Alert, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useClient } from "../../../client/session-hooks.ts";
import { useAction } from "../../lib/action.ts";
import { useTexts } from "../../lib/i18n.tsx";
import { authorizeTexts } from "../../texts/authorize.ts";
import { ErrorAlert } from "../../ui/error-alert.tsx";
import type { Choice } from "./choice.ts";
import { safeAddress } from "./redirect.ts";
import { useAttention } from "./use-attention.ts";

type Props = {
  readonly requestToken: string;
  /** Null if the app cannot be allowed anything. */
  readonly choice: Choice | null;
  readonly onReload: () => void;
};

/**
 * The buttons of the decision. They are in no form, so Enter in a field decides nothing. What is allowed is allowed once: the
 * button works only after the page had the user's attention, and no more after the first success.
 */
export function Decision({ requestToken, choice, onReload }: Props) {
  const texts = useTexts(authorizeTexts);
  const client = useClient();
  const hasAttention = useAttention();
  const [isUnsafe, setUnsafe] = useState(false);
  /** Leaves the page, if the address is one to which the browser may go. The API has checked it already. */
  function leave({ redirectTo }: { redirectTo: string }) {
    const address = safeAddress(redirectTo);
    if (address === null) setUnsafe(true);
    else location.replace(address.href);
  }
  const denying = useAction({ run: () => client.authorizations.deny(requestToken), onDone: leave });
  const allowing = useAction<Choice>({
    run: ({ organizationId, unitId, scopes, days }) =>
      client.authorizations.approve({
        requestToken,
        organizationId: organizationId ?? "",
        unitId,
        scopes: [...scopes],
        days,
      }),
    isSingle: true,
    onDone: (decision) => leave(decision as { redirectTo: string }),
  });
  const isDecided = allowing.isDone || denying.isDone;
  const isBusy = allowing.isRunning || denying.isRunning || isDecided;
  const missing = choice === null ? null : missingIn(choice);
  const mayAllow = choice !== null && missing === null && hasAttention && !isBusy;
  return (
    <>
      {choice !== null && missing !== null && <Text size="sm">{texts[missing]}</Text>}
      <ErrorAlert
        error={allowing.error ?? denying.error}
        sentenceOf={{ INVALID_OR_EXPIRED_TOKEN: texts.expired, CONFLICT: texts.conflict }}
      />
      {isUnsafe && (
        <Alert color="red" variant="outline" className="alert-text" role="alert">
          <Text size="sm">{texts.unsafe}</Text>
        </Alert>
      )}
      <Group justify="flex-end">
        {(allowing.error ?? denying.error) != null && (
          <Button variant="subtle" onClick={onReload}>
            {texts.reload}
          </Button>
        )}
        <Button variant="default" loading={denying.isRunning} disabled={isBusy} onClick={() => denying.run()}>
          {texts.deny}
        </Button>
        {/* The button keeps the focus while it does not work yet, which a disabled one could not have. */}
        <Button
          loading={allowing.isRunning}
          aria-disabled={!mayAllow}
          {...(!mayAllow && { "data-disabled": true })}
          onClick={() => mayAllow && choice !== null && allowing.run(choice)}
        >
          {texts.allow}
        </Button>
      </Group>
    </>
  );
}

/** Returns what the user has still to choose; null if nothing. */
function missingIn({ isLimited, unitId, scopes }: Choice): "chooseUnit" | "chooseScope" | null {
  if (isLimited && unitId === null) return "chooseUnit";
  return scopes.length === 0 ? "chooseScope" : null;
}
