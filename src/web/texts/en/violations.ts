/** Texts for violations of single fields; `violationText` selects one. */
export const violationTexts = {
  required: "Fill this in.",
  email: "Enter an email address.",
  atLeast: "At least {count} characters.",
  atMost: "At most {count} characters.",
  min: "At least {value}.",
  max: "At most {value}.",
  invalid: "This value is not accepted.",
} as const;
