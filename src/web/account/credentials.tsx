import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useContext, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { useClient } from "../../client/session-hooks.ts";
import { ConsolePreload } from "../lib/console-preload.ts";
import { useApiForm } from "../lib/form.ts";
import { useTexts } from "../lib/i18n.tsx";
import { useSettings } from "../lib/settings.ts";
import { signInTexts } from "../texts/sign-in.ts";
import { Form, Password } from "../ui/form.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { keepNext } from "./search.ts";
import type { Challenge } from "./second-factor.tsx";
import { useBotCheck } from "./use-bot-check.tsx";

type Props = {
  readonly email: string;
  readonly next: string;
  readonly onChallenge: (challenge: Challenge) => void;
  readonly isLeaving: boolean;
};

/** How people with an address sign in: by a connection of their organization, or by password. */
type Connection = { readonly id: string; readonly name: string };
type Way = { readonly email: string; readonly connection: Connection | null };

/**
 * The form of the sign-in page: address and password. If the service has single sign-on, it first asks for the address alone, and
 * then offers the connection of its domain. Changing the address begins again.
 */
export function Credentials({ email, next, onChallenge, isLeaving }: Props) {
  const client = useClient();
  const texts = useTexts(signInTexts);
  const preloadConsole = useContext(ConsolePreload);
  const { data: settings } = useSettings();
  const [way, setWay] = useState<Way | null>(null);
  const [unverified, setUnverified] = useState<string | null>(null);
  const [needsBotCheck, setNeedsBotCheck] = useState(false);
  const botCheck = useBotCheck(needsBotCheck);
  const form = useApiForm({
    initialValues: { email, password: "" },
    save: async (credentials) => {
      setUnverified(null);
      if (connection !== null) {
        keepNext(next);
        client.sso.begin(connection.id, { loginHint: credentials.email });
        return null;
      }
      if (!hasPassword) {
        setWay(await discover(credentials.email));
        return null;
      }
      const signedIn = client.signIn({ ...credentials, ...botCheck.body });
      return signedIn.finally(botCheck.reset).catch((error) => {
        const code = error instanceof ApiError ? error.code : null;
        if (code === "EMAIL_NOT_VERIFIED") setUnverified(credentials.email);
        if (code === "BOT_CHECK_REQUIRED") setNeedsBotCheck(true);
        throw error;
      });
    },
    onDone: (outcome) => outcome?.status === "two-factor" && onChallenge(outcome),
  });
  const { values } = form.form;
  const found: Way | null = way !== null && way.email === values.email ? way : null;
  const connection: Connection | null = found?.connection ?? null;
  // A password that a password manager has entered stays visible.
  const hasPassword: boolean =
    settings?.sso !== true || (found !== null && connection === null) || values.password !== "";
  const choosePassword = () => setWay({ email: values.email, connection: null });

  /** Looks up the connection. If that fails for another reason than the address, people can still use their password. */
  async function discover(address: string): Promise<Way> {
    const { connection } = await client.sso.discover(address).catch((error) => {
      if (error instanceof ApiError && error.code === "VALIDATION_FAILED") throw error;
      return { connection: null };
    });
    return { email: address, connection };
  }
  return (
    <Stack gap="lg">
      <Form
        of={{ ...form, isSaving: form.isSaving || isLeaving }}
        submit={connection ? texts.with(connection.name) : hasPassword ? texts.signIn : texts.continue}
        wide
      >
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username webauthn"
          autoFocus={email === ""}
          {...form.field("email")}
        />
        {hasPassword && (
          <div className="with-link">
            <Password
              label={texts.password}
              autoComplete="current-password"
              autoFocus={values.email !== ""}
              {...form.field("password")}
              onFocus={() => {
                choosePassword();
                // The frame of the pages after sign-in is loaded while the password is typed.
                preloadConsole();
              }}
            />
            <PageLink to="/forgot-password">{texts.forgot}</PageLink>
          </div>
        )}
        {settings?.sso && (
          <Text size="sm" role="status">
            {connection && texts.foundWay(connection.name)}
          </Text>
        )}
        {botCheck.field}
      </Form>
      {connection !== null && (
        <Button variant="default" onClick={choosePassword}>
          {texts.usePassword}
        </Button>
      )}
      {unverified !== null && <ResendVerification email={unverified} />}
    </Stack>
  );
}
