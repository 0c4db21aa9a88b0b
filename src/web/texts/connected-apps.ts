import { dictionary } from "./dictionary.ts";

/** Texts about the apps that people have connected. */
export const connectedAppTexts = dictionary({
  apps: { en: "Connected apps", el: "Συνδεδεμένες εφαρμογές" },
  about: {
    en: "Apps and agents that may act for you. Each ends by itself at the time that is shown.",
    el: "Εφαρμογές και βοηθοί που μπορούν να ενεργούν για εσάς. Η πρόσβαση καθεμιάς λήγει μόνη της, όταν αναγράφεται.",
  },
  none: { en: "You have not connected any app.", el: "Δεν έχετε συνδέσει εφαρμογές." },
  off: {
    en: "Apps cannot be connected to this service.",
    el: "Σε αυτή την υπηρεσία δεν συνδέονται εφαρμογές.",
  },
  platformApps: { en: "Apps", el: "Εφαρμογές" },
  app: { en: "App", el: "Εφαρμογή" },
  mayDo: { en: "May do", el: "Τι μπορεί να κάνει" },
  place: { en: "Where", el: "Πού" },
  whole: { en: "Whole organization", el: "Όλος ο οργανισμός" },
  unitAndBelow: { en: "{unit} and below", el: "{unit} και υπομονάδες" },
  registered: { en: "Registered app", el: "Καταχωρισμένη εφαρμογή" },
  readOnly: { en: "Only reads", el: "Μόνο ανάγνωση" },
  lastUsed: { en: "Last used", el: "Τελευταία χρήση" },
  lastUse: { en: "Last used: {when}", el: "Τελευταία χρήση: {when}" },
  never: { en: "Never", el: "Ποτέ" },
  neverUsed: { en: "Not used yet", el: "Δεν έχει χρησιμοποιηθεί" },
  ends: { en: "Ends", el: "Λήξη" },
  endsOn: { en: "Ends on {date}", el: "Λήγει στις {date}" },
  disconnect: { en: "Disconnect", el: "Αποσύνδεση" },
  disconnectOf: { en: "Disconnect {name}", el: "Αποσύνδεση: {name}" },
  disconnectQuestion: {
    en: "“{name}” loses its access to {organization} at once.",
    el: "Η εφαρμογή «{name}» χάνει αμέσως την πρόσβαση στον οργανισμό {organization}.",
  },
  disconnectAll: { en: "Disconnect all", el: "Αποσύνδεση όλων" },
  disconnectAllQuestion: {
    en: "All apps lose their access at once, in all of your organizations.",
    el: "Όλες οι εφαρμογές χάνουν αμέσως την πρόσβαση, σε όλους τους οργανισμούς σας.",
  },
  actionsOf: { en: "Actions for {name}", el: "Ενέργειες για την εφαρμογή {name}" },
});
