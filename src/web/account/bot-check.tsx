import { Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { botCheckOrigin } from "../lib/environment.ts";
import { useLanguage, useTexts } from "../lib/i18n.tsx";
import { signInTexts } from "../texts/sign-in.ts";

/** The part of Turnstile's script that is used here: https://developers.cloudflare.com/turnstile. */
type Turnstile = {
  render(
    element: HTMLElement,
    options: { sitekey: string; language: string; callback: (token: string) => void },
  ): string;
  remove(widget: string): void;
};

let loading: Promise<Turnstile> | null = null;

/** Loads the provider's script, once. The content security policy allows it. */
function loadTurnstile(): Promise<Turnstile> {
  loading ??= new Promise<Turnstile>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${botCheckOrigin}/turnstile/v0/api.js?render=explicit`;
    script.onload = () => {
      const { turnstile } = window as { turnstile?: Turnstile };
      if (turnstile === undefined) reject(new Error("The script of the bot check is another one"));
      else resolve(turnstile);
    };
    script.onerror = () => reject(new Error("The script of the bot check was not loaded"));
    document.head.append(script);
  });
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

/** The widget of the bot check. It calls `onToken` when the person has passed. */
export default function BotCheck({
  siteKey,
  onToken,
}: {
  siteKey: string;
  onToken: (token: string) => void;
}) {
  const texts = useTexts(signInTexts);
  const { language } = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    let remove = () => {};
    loadTurnstile().then(
      (turnstile) => {
        if (!isCurrent || place.current === null) return;
        const options = { sitekey: siteKey, language, callback: onToken };
        const widget = turnstile.render(place.current, options);
        remove = () => turnstile.remove(widget);
      },
      () => isCurrent && setHasFailed(true),
    );
    return () => {
      isCurrent = false;
      remove();
    };
  }, [siteKey, language, onToken]);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame of its own */}
      <div ref={place} role="group" aria-label={texts.botCheck} />
      {hasFailed && (
        <Text size="sm" c="red" role="alert">
          {texts.botCheckFailed}
        </Text>
      )}
    </>
  );
}
