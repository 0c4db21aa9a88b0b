import { createElement, type FormEvent, type ReactNode, useRef, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { violationTexts } from "../texts/violations.ts";
import { type ActionOptions, useAction } from "./action.ts";
import { useErrorText } from "./errors.ts";
import { type Fields, useFields } from "./fields.ts";
import { useTexts } from "./i18n.tsx";
import { useUnsavedGuard } from "./unsaved.ts";
import { violationText } from "./violation-texts.ts";

type Options<Values, Output> = Omit<ActionOptions<Values, Output>, "run"> & {
  readonly initialValues: Values;
  /**
   * Sends the entered values, for example `(body, idempotencyKey) => client.request("POST /api/units", { body,
   * idempotencyKey })`. `changed` has only those that the user changed: a PATCH with the others too would undo what
   * somebody else has changed meanwhile.
   */
  readonly save: (values: Values, idempotencyKey: string, changed: Partial<Values>) => Promise<Output>;
  /** The fields at which errors of the API are shown, by error code: `{ EMAIL_TAKEN: "email" }`. */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** Texts for error codes whose usual sentence does not fit this form. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
  /** Whether the console asks before leaving the page with unsaved changes. */
  readonly isGuarded?: boolean;
};

export type ApiForm<Values extends Record<string, unknown>> = {
  /**
   * Values and errors, for special cases: lists, `setFieldValue`, `isDirty()`. `reset()` keeps what was typed after the
   * form was sent.
   */
  readonly form: Fields<Values>;
  /** Returns the props of an input: `<TextInput label={…} {...field("title")} />`. */
  readonly field: Fields<Values>["getInputProps"];
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** The error that belongs to no field; show it with `ErrorAlert`. */
  readonly error: unknown;
  readonly isSaving: boolean;
  readonly isSaved: boolean;
  readonly sentenceOf: Readonly<Record<string, string>>;
};

/**
 * A form that sends a request to the API. Violations are shown at their fields, other errors in `error`. Entered
 * values are kept until they are saved. While a submit is running, another submit does nothing.
 */
export function useApiForm<Values extends Record<string, unknown>, Output = unknown>({
  initialValues,
  save,
  fieldOf = {},
  sentenceOf = {},
  isGuarded = false,
  onDone,
  ...options
}: Options<Values, Output>): ApiForm<Values> {
  const form = useFields(initialValues);
  const sentences = useTexts(violationTexts);
  const [error, setError] = useState<unknown>(null);
  const sent = useRef(initialValues);
  const stored = useRef(initialValues);
  const saved = useRef<string | null>(null);
  const { run, isRunning, isDone } = useAction<Values, Output>({
    ...options,
    run(values, idempotencyKey) {
      sent.current = values;
      return save(values, idempotencyKey, changesOf(values, stored.current));
    },
    isSingle: true,
    onDone(output) {
      stored.current = sent.current;
      saved.current = JSON.stringify(sent.current);
      onDone?.(output);
    },
  });
  useUnsavedGuard(() => isGuarded && form.isDirty() && JSON.stringify(form.getValues()) !== saved.current);

  /** Shows an error at the fields that it names, and the rest of the error above the form. */
  function place(cause: unknown, element: HTMLFormElement) {
    const placed = new Map<string, ReactNode>();
    let isWhole = !(cause instanceof ApiError);
    if (cause instanceof ApiError) {
      const field = fieldOf[cause.code];
      if (field !== undefined)
        placed.set(field, sentenceOf[cause.code] ?? createElement(Sentence, { error: cause }));
      for (const { path, message } of cause.errors) {
        if ((path.split(".")[0] ?? "") in initialValues)
          placed.set(path, violationText(sentences, path, message));
        else isWhole = true;
      }
      isWhole ||= placed.size === 0;
    }
    form.setErrors(Object.fromEntries(placed));
    setError(isWhole ? cause : null);
    // The focus moves after the fields have been rendered with their errors.
    setTimeout(() => element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // React passes events of a form in a dialog to the form that opened the dialog. That form must not be
    // submitted.
    event.stopPropagation();
    const element = event.currentTarget;
    form.clearErrors();
    setError(null);
    run(form.getValues(), { onError: (cause) => place(cause, element) });
  }
  return {
    form: { ...form, reset: () => form.reset(sent.current) },
    field: form.getInputProps,
    onSubmit,
    error,
    isSaving: isRunning,
    isSaved: isDone,
    sentenceOf,
  };
}

const changesOf = <Values extends Record<string, unknown>>(values: Values, before: Values) =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  ) as Partial<Values>;

/** Shows an error as a sentence. It is a component, because the error texts may be loaded after it is rendered. */
function Sentence({ error }: { error: unknown }) {
  return useErrorText()(error);
}
