import { dictionary } from "./dictionary.ts";

/** Texts of the requests to join the organization. */
export const joinRequestTexts = dictionary({
  requests: { en: "Join requests", el: "Αιτήματα συμμετοχής" },
  about: {
    en: "People with an address of a verified domain who ask to join. They see nothing before they are members.",
    el: "Άτομα με διεύθυνση επαληθευμένου τομέα που ζητούν να συμμετάσχουν. Δεν βλέπουν τίποτα πριν γίνουν μέλη.",
  },
  signOnOff: {
    en: "This installation does not offer single sign-on.",
    el: "Αυτή η εγκατάσταση δεν προσφέρει ενιαία σύνδεση.",
  },
  none: { en: "No open join requests.", el: "Δεν υπάρχουν ανοιχτά αιτήματα συμμετοχής." },
  person: { en: "Person", el: "Άτομο" },
  domain: { en: "Domain", el: "Τομέας" },
  asked: { en: "Asked", el: "Υποβλήθηκε" },
  ends: { en: "Ends", el: "Λήγει" },
  approve: { en: "Approve", el: "Έγκριση" },
  approveTitle: { en: "Approve {name}", el: "Έγκριση: {name}" },
  usualRoles: {
    en: "New members of {domain} get these roles:",
    el: "Τα νέα μέλη από τον τομέα {domain} παίρνουν αυτούς τους ρόλους:",
  },
  presetRoles: {
    en: "The person gets the roles that are set for {domain}.",
    el: "Το άτομο παίρνει τους ρόλους που έχουν οριστεί για τον τομέα {domain}.",
  },
  defaultRole: {
    en: "The person gets the default role of the organization.",
    el: "Το άτομο παίρνει τον προεπιλεγμένο ρόλο του οργανισμού.",
  },
  chooseRoles: { en: "Choose other roles", el: "Επιλογή άλλων ρόλων" },
  deny: { en: "Deny", el: "Απόρριψη" },
  denyTitle: { en: "Deny {name}", el: "Απόρριψη: {name}" },
  denyQuestion: {
    en: "{name} does not become a member and is not told. The person may ask again after 90 days.",
    el: "Το άτομο {name} δεν γίνεται μέλος και δεν ειδοποιείται. Μπορεί να υποβάλει νέο αίτημα μετά από 90 ημέρες.",
  },
  ended: {
    en: "This request has ended: somebody decided it, or the person withdrew it.",
    el: "Το αίτημα έχει λήξει: κάποιος αποφάσισε γι’ αυτό ή το άτομο το απέσυρε.",
  },
  joined: {
    en: "This person is already a member. The request has ended.",
    el: "Το άτομο είναι ήδη μέλος. Το αίτημα έχει λήξει.",
  },
});

/** Texts of the organizations that the user may join. */
export const joinTexts = dictionary({
  title: { en: "Organizations of your email domain", el: "Οργανισμοί του τομέα της διεύθυνσής σας" },
  about: {
    en: "Your address belongs to a domain of these organizations.",
    el: "Η διεύθυνσή σας ανήκει σε τομέα αυτών των οργανισμών.",
  },
  join: { en: "Join {organization}", el: "Συμμετοχή στο {organization}" },
  ask: { en: "Ask to join {organization}", el: "Αίτημα συμμετοχής στο {organization}" },
  askAbout: { en: "An administrator decides.", el: "Αποφασίζει ένας διαχειριστής." },
  requested: {
    en: "You asked to join {organization}. An administrator decides.",
    el: "Ζητήσατε να συμμετάσχετε στο {organization}. Αποφασίζει ένας διαχειριστής.",
  },
  withdraw: { en: "Withdraw", el: "Απόσυρση" },
  withdrawFor: {
    en: "Withdraw the request to join {organization}",
    el: "Απόσυρση του αιτήματος συμμετοχής στο {organization}",
  },
});
