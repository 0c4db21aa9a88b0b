import { lazy, type ReactNode, Suspense, useState } from "react";
import { useSettings } from "../lib/settings.ts";

const BotCheck = lazy(() => import("./bot-check.tsx"));

type BotCheckField = {
  /** What the form shows; null without a bot check. */
  readonly field: ReactNode;
  readonly body: { botToken?: string };
  /** Asks again: call it after each request, because a token works once. */
  readonly reset: () => void;
};

export function useBotCheck(isNeeded = true): BotCheckField {
  const { data: settings } = useSettings();
  const [token, setToken] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const botCheck = isNeeded ? (settings?.botCheck ?? null) : null;
  return {
    field: botCheck && (
      <Suspense>
        <BotCheck key={round} siteKey={botCheck.siteKey} onToken={setToken} />
      </Suspense>
    ),
    body: botCheck === null || token === null ? {} : { botToken: token },
    reset() {
      if (token === null) return;
      setToken(null);
      setRound(round + 1);
    },
  };
}
