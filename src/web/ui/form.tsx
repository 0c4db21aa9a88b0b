import { Button, Group, PasswordInput, type PasswordInputProps, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { uiTexts } from "./texts.ts";

type Props = {
  /** What `useApiForm` returned. */
  readonly of: { onSubmit: (event: FormEvent<HTMLFormElement>) => void; error: unknown; isSaving: boolean };
  /** On the button. */
  readonly submit: string;
  /** Beside the button. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A form: its fields, the error that belongs to none of them, and its button. The API alone judges what is valid. */
export function Form({ of, submit, actions, children }: Props) {
  return (
    <form onSubmit={of.onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <ErrorAlert error={of.error} />
        <Group justify="flex-end">
          {actions}
          <Button type="submit" loading={of.isSaving}>
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
