import { Button, Group, PasswordInput, type PasswordInputProps, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../lib/i18n.tsx";
import { uiTexts } from "../texts/ui.ts";
import { ErrorAlert } from "./error-alert.tsx";

type Props = {
  /** The form object that `useApiForm` returns. */
  readonly of: {
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    error: unknown;
    isSaving: boolean;
    sentenceOf?: Readonly<Record<string, string>>;
  };
  /** The text of the submit button; by default "Save". */
  readonly submit?: string;
  /** Closes the dialog that contains the form; a button for it is shown. */
  readonly onCancel?: () => void;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Whether the submit button is red, because the action ends or deletes something. */
  readonly danger?: boolean;
  readonly isDisabled?: boolean;
  /** Whether the buttons of a long form stay visible at the foot of the window. */
  readonly isSticky?: boolean;
  readonly children: ReactNode;
};

/**
 * A form: its fields, an error that belongs to no field, and the submit button. Only the API validates the values.
 */
export function Form({
  of,
  submit,
  onCancel,
  actions,
  wide = false,
  danger = false,
  isDisabled = false,
  isSticky = false,
  children,
}: Props) {
  const { cancel, save } = useTexts(uiTexts);
  return (
    <form onSubmit={of.onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <ErrorAlert error={of.error} {...(of.sentenceOf && { sentenceOf: of.sentenceOf })} />
        <Group justify="flex-end" grow={wide} {...(isSticky && { className: "form-foot" })}>
          {actions}
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel}>
              {cancel}
            </Button>
          )}
          <Button type="submit" loading={of.isSaving} disabled={isDisabled} {...(danger && { color: "red" })}>
            {submit ?? save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Mantine's password field, with an accessible name for its visibility button. */
export function Password(props: PasswordInputProps) {
  const texts = useTexts(uiTexts);
  return <PasswordInput visibilityToggleButtonProps={{ "aria-label": texts.showPassword }} {...props} />;
}
