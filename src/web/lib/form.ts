import { type UseFormReturnType, useForm } from "@mantine/form";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../client/index.ts";
import { type ActionOptions, useAction } from "./action.ts";
import { useErrorText } from "./errors.ts";
import { useTexts } from "./i18n.tsx";
import { violationText, violationTexts } from "./violation-texts.ts";

type Options<Values, Output> = Omit<ActionOptions<Values, Output>, "run"> & {
  readonly initialValues: Values;
  /** Sends what was entered: `(body, idempotencyKey) => client.request("POST /api/todos", { body, idempotencyKey })`. */
  readonly save: (values: Values, idempotencyKey: string) => Promise<Output>;
  /** The field that an error of the API is about, by its code: `{ EMAIL_TAKEN: "email" }`. */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** What an error means here, by its code, where the usual sentence would not fit. */
  readonly sentenceOf?: Readonly<Record<string, string>>;
};

export type ApiForm<Values extends Record<string, unknown>> = {
  /** Mantine's form, for what is special: lists, `setFieldValue`, `isDirty()`, `reset()`. */
  readonly form: UseFormReturnType<Values>;
  /** The props of an input: `<TextInput label={…} {...field("title")} />`. Paths are dotted, as those of the API. */
  readonly field: UseFormReturnType<Values>["getInputProps"];
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** What is wrong and belongs to no field, for `ErrorAlert`. */
  readonly error: unknown;
  readonly isSaving: boolean;
  /** Whether the last attempt was saved. */
  readonly isSaved: boolean;
  readonly sentenceOf: Readonly<Record<string, string>>;
};

/**
 * A form over a request of the API. What the API does not accept is shown at its field, the rest in `error`; what was
 * entered stays until it is saved. A second submit while the first is under way does nothing.
 */
export function useApiForm<Values extends Record<string, unknown>, Output = unknown>({
  initialValues,
  save,
  fieldOf = {},
  sentenceOf = {},
  ...options
}: Options<Values, Output>): ApiForm<Values> {
  const form = useForm<Values>({ initialValues });
  const sentences = useTexts(violationTexts);
  const errorText = useErrorText();
  const [error, setError] = useState<unknown>(null);
  const { run, isRunning, isDone } = useAction({ ...options, run: save, isSingle: true });

  /** Puts the error at the fields that it is about; what remains is for the whole form. */
  function place(cause: unknown, element: HTMLFormElement) {
    const placed = new Map<string, string>();
    let isWhole = !(cause instanceof ApiError);
    if (cause instanceof ApiError) {
      const field = fieldOf[cause.code];
      if (field !== undefined) placed.set(field, sentenceOf[cause.code] ?? errorText(cause));
      for (const { path, message } of cause.errors) {
        if ((path.split(".")[0] ?? "") in initialValues)
          placed.set(path, violationText(sentences, path, message));
        else isWhole = true;
      }
      isWhole ||= placed.size === 0;
    }
    form.setErrors(Object.fromEntries(placed));
    setError(isWhole ? cause : null);
    // After the render that marks them.
    setTimeout(() => element.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // A form in a dialog is within its opener's in React's tree.
    event.stopPropagation();
    const element = event.currentTarget;
    form.clearErrors();
    setError(null);
    run(form.getValues(), { onError: (cause) => place(cause, element) });
  }
  return {
    form,
    field: form.getInputProps,
    onSubmit,
    error,
    isSaving: isRunning,
    isSaved: isDone,
    sentenceOf,
  };
}
