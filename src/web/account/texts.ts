import { dictionary } from "../lib/i18n.tsx";

export const accountTexts = dictionary(
  {
    signIn: "Sign in",
    email: "Email address",
    password: "Password",
    secondFactor: "Second factor",
    codeAbout: "Enter the code of your authenticator app.",
    code: "Code",
    recoveryCode: "Recovery code",
    useRecoveryCode: "Use a recovery code instead",
    useCode: "Use the app's code instead",
    startOver: "Start over",
  },
  {
    signIn: "Σύνδεση",
    email: "Διεύθυνση email",
    password: "Κωδικός πρόσβασης",
    secondFactor: "Δεύτερος παράγοντας",
    codeAbout: "Γράψτε τον κωδικό της εφαρμογής ελέγχου ταυτότητας.",
    code: "Κωδικός",
    recoveryCode: "Κωδικός ανάκτησης",
    useRecoveryCode: "Με κωδικό ανάκτησης",
    useCode: "Με κωδικό της εφαρμογής",
    startOver: "Από την αρχή",
  },
);
