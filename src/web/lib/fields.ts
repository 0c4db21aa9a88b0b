import { type ReactNode, useRef, useState } from "react";

type Errors = Record<string, ReactNode>;

/** The props of an input: Mantine's inputs call `onChange` with an event or with the value itself. */
export type FieldProps = {
  // biome-ignore lint/suspicious/noExplicitAny: each input has its own type of value
  value?: any;
  checked?: boolean;
  error?: ReactNode;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  onChange: (input: any) => void;
};

export type Fields<Values extends Record<string, unknown>> = {
  readonly values: Values;
  /** By path, such as `name` or `assignments.0.roleId`. */
  readonly errors: Errors;
  /** Returns the newest values, also before they are rendered. */
  readonly getValues: () => Values;
  /** Changes a value, and removes its errors. */
  setFieldValue<Name extends keyof Values & string>(name: Name, value: Values[Name]): void;
  readonly setErrors: (errors: Errors) => void;
  readonly clearErrors: () => void;
  /** Resets the fields to their initial values; with `sent`, only the fields that still have those values. */
  reset(sent?: Values): void;
  readonly isDirty: () => boolean;
  getInputProps(name: keyof Values & string, options?: { type: "checkbox" }): FieldProps;
};

const enteredValue = (input: unknown) => {
  const target = (input as { currentTarget?: HTMLInputElement } | null)?.currentTarget;
  if (!(target instanceof HTMLElement)) return input;
  return target.type === "checkbox" ? target.checked : target.value;
};

/** The values and errors of a form. It validates nothing, because the API does. */
export function useFields<Values extends Record<string, unknown>>(initialValues: Values): Fields<Values> {
  const [initial] = useState(initialValues);
  const newest = useRef(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Errors>({});

  function put(next: Values) {
    newest.current = next;
    setValues(next);
  }
  function setFieldValue(name: string, value: unknown) {
    put({ ...newest.current, [name]: value });
    setErrors((found) => {
      const isOther = ([path]: [string, unknown]) => path !== name && !path.startsWith(`${name}.`);
      const left = Object.entries(found).filter(isOther);
      return left.length === Object.keys(found).length ? found : Object.fromEntries(left);
    });
  }
  return {
    values,
    errors,
    getValues: () => newest.current,
    setFieldValue,
    setErrors,
    clearErrors: () => setErrors({}),
    reset(sent = newest.current) {
      const unchanged = Object.keys(initial).filter((name) => newest.current[name] === sent[name]);
      put({ ...newest.current, ...Object.fromEntries(unchanged.map((name) => [name, initial[name]])) });
      setErrors({});
    },
    isDirty: () => JSON.stringify(newest.current) !== JSON.stringify(initial),
    getInputProps: (name, options) => ({
      ...(options?.type === "checkbox" ? { checked: Boolean(values[name]) } : { value: values[name] }),
      error: errors[name],
      onChange: (input) => setFieldValue(name, enteredValue(input)),
    }),
  };
}
