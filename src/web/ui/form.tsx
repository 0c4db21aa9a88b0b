import { Button, Group, PasswordInput, type PasswordInputProps, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

type Props = {
  /** What `useApiForm` returned. */
  readonly of: {
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    error: unknown;
    isSaving: boolean;
    sentenceOf?: Readonly<Record<string, string>>;
  };
  /** On the button. */
  readonly submit: string;
  /** Beside the button. */
  readonly actions?: ReactNode;
  /** The button takes the whole width, as on a narrow page with nothing else. */
  readonly wide?: boolean;
  /** What the button warns of by its color: that something ends. */
  readonly danger?: boolean;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
};

/** A form: its fields, the error that belongs to none of them, and its button. The API alone judges what is valid. */
export function Form({
  of,
  submit,
  actions,
  wide = false,
  danger = false,
  isDisabled = false,
  children,
}: Props) {
  return (
    <form onSubmit={of.onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <ErrorAlert error={of.error} {...(of.sentenceOf && { sentenceOf: of.sentenceOf })} />
        <Group justify="flex-end" grow={wide}>
          {actions}
          <Button type="submit" loading={of.isSaving} disabled={isDisabled} {...(danger && { color: "red" })}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Mantine's field for passwords, whose button has a name. */
export function Password(props: PasswordInputProps) {
  const texts = useTexts(uiTexts);
  return <PasswordInput visibilityToggleButtonProps={{ "aria-label": texts.showPassword }} {...props} />;
}
