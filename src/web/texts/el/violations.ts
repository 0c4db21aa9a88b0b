export const violationTexts = {
  required: "Συμπληρώστε το πεδίο.",
  email: "Γράψτε μια διεύθυνση email.",
  atLeast: "Τουλάχιστον {count} χαρακτήρες.",
  atMost: "Το πολύ {count} χαρακτήρες.",
  min: "Τουλάχιστον {value}.",
  max: "Το πολύ {value}.",
  invalid: "Αυτή η τιμή δεν γίνεται δεκτή.",
} as const;
