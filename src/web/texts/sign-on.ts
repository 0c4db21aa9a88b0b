import { dictionary } from "./dictionary.ts";

/** Texts of the page that a setup link opens. */
export const setupTexts = dictionary({
  title: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
  titleOf: { en: "Single sign-on for {organization}", el: "Ενιαία σύνδεση για {organization}" },
  about: {
    en: "{organization} asks you to set up these steps. You need no account. The link works until {time}, or until you finish.",
    el: "Ο οργανισμός {organization} σάς ζητά να ρυθμίσετε αυτά τα βήματα. Δεν χρειάζεστε λογαριασμό. Ο σύνδεσμος ισχύει έως {time} ή μέχρι να τελειώσετε.",
  },
  finish: { en: "Finish", el: "Τέλος" },
  finishAbout: {
    en: "When everything is set up, finish. The administrators of {organization} then turn single sign-on on.",
    el: "Όταν ρυθμιστούν όλα, πατήστε «Τέλος». Έπειτα οι διαχειριστές του οργανισμού {organization} ενεργοποιούν την ενιαία σύνδεση.",
  },
  finishQuestion: {
    en: "The link ends, and you cannot change anything by it afterwards.",
    el: "Ο σύνδεσμος παύει να ισχύει και δεν μπορείτε πια να αλλάξετε κάτι με αυτόν.",
  },
  goOn: { en: "Go on with the setup", el: "Συνέχεια της ρύθμισης" },
  finished: { en: "Thank you, the setup is finished", el: "Ευχαριστούμε, η ρύθμιση τελείωσε" },
  finishedAbout: {
    en: "The administrators of the organization go on from here. You can close this page.",
    el: "Από εδώ συνεχίζουν οι διαχειριστές του οργανισμού. Μπορείτε να κλείσετε τη σελίδα.",
  },
  ended: { en: "This link no longer works", el: "Αυτός ο σύνδεσμος δεν ισχύει πια" },
  endedAbout: {
    en: "A setup link works for seven days, or until the setup is finished or the link revoked. Ask the organization for a new one.",
    el: "Ένας σύνδεσμος ρύθμισης ισχύει για επτά ημέρες, ή μέχρι να τελειώσει η ρύθμιση ή να ανακληθεί. Ζητήστε νέο από τον οργανισμό.",
  },
});

/** Texts of the frame of the page for single sign-on. */
export const signOnTexts = dictionary({
  signOn: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
  about: {
    en: "People sign in with the identity provider of your organization. Domains first, then the connection, then its test, and the policy last.",
    el: "Οι άνθρωποι συνδέονται με τον πάροχο ταυτότητας του οργανισμού σας. Πρώτα οι τομείς, ύστερα η σύνδεση και η δοκιμή της, και τελευταία η πολιτική.",
  },
  noPlan: {
    en: "Your plan does not include single sign-on. You can prove domains and let people join by them; a connection and the policy need another plan.",
    el: "Το πακέτο σας δεν περιλαμβάνει ενιαία σύνδεση. Μπορείτε να αποδείξετε τομείς και να δεχτείτε μέλη από αυτούς· η σύνδεση με πάροχο και η πολιτική χρειάζονται άλλο πακέτο.",
  },
  plans: { en: "Compare plans", el: "Σύγκριση πακέτων" },
  off: {
    en: "This installation does not offer single sign-on.",
    el: "Αυτή η εγκατάσταση δεν προσφέρει ενιαία σύνδεση.",
  },
});

/** The state of a step, in its heading. */
export const stepTexts = dictionary({
  done: { en: "Done", el: "Έτοιμο" },
  pending: { en: "To do", el: "Εκκρεμεί" },
});

export const setupLinkTexts = dictionary({
  title: { en: "Setup links", el: "Σύνδεσμοι ρύθμισης" },
  send: { en: "Send a setup link", el: "Αποστολή συνδέσμου ρύθμισης" },
  about: {
    en: "Somebody else changes the provider or DNS? Send that person a link. It works for 7 days.",
    el: "Άλλο άτομο αλλάζει τον πάροχο ή το DNS; Στείλτε του έναν σύνδεσμο. Ισχύει 7 ημέρες.",
  },
  email: { en: "Email address", el: "Διεύθυνση email" },
  emailAbout: {
    en: "The link is sent to this address alone, and is shown nowhere else.",
    el: "Ο σύνδεσμος στέλνεται μόνο σε αυτή τη διεύθυνση και δεν εμφανίζεται πουθενά αλλού.",
  },
  what: { en: "What the person sets up", el: "Τι θα ρυθμίσει το άτομο" },
  domains: { en: "Domains", el: "Τομείς" },
  connection: { en: "Connection", el: "Σύνδεση με πάροχο" },
  language: { en: "Language of the email", el: "Γλώσσα του email" },
  sendIt: { en: "Send", el: "Αποστολή" },
  sent: { en: "The link was sent to {email}.", el: "Ο σύνδεσμος στάλθηκε στο {email}." },
  open: { en: "Open setup links", el: "Ανοιχτοί σύνδεσμοι ρύθμισης" },
  until: { en: "until {date}", el: "έως {date}" },
  by: { en: "sent by {email}", el: "από {email}" },
  revoke: { en: "Revoke", el: "Ανάκληση" },
  revokeOf: { en: "Revoke the link for {email}", el: "Ανάκληση του συνδέσμου για {email}" },
  revokeQuestion: {
    en: "The link for {email} stops working at once.",
    el: "Ο σύνδεσμος για {email} παύει αμέσως να ισχύει.",
  },
  tooMany: {
    en: "At most 5 links are open at a time. Revoke one first.",
    el: "Έως 5 σύνδεσμοι είναι ανοιχτοί μαζί. Ανακαλέστε πρώτα έναν.",
  },
});
