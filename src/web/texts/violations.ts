import { dictionary } from "./dictionary.ts";

/** Texts for violations of single fields; `violationText` selects one. */
export const violationTexts = dictionary({
  required: { en: "Fill this in.", el: "Συμπληρώστε το πεδίο." },
  choose: { en: "Choose one.", el: "Επιλέξτε." },
  email: { en: "Enter an email address.", el: "Γράψτε μια διεύθυνση email." },
  atLeast: { en: "At least {count} characters.", el: "Τουλάχιστον {count} χαρακτήρες." },
  atMost: { en: "At most {count} characters.", el: "Το πολύ {count} χαρακτήρες." },
  min: { en: "At least {value}.", el: "Τουλάχιστον {value}." },
  max: { en: "At most {value}.", el: "Το πολύ {value}." },
  breached: {
    en: "This password is known from a data breach. Choose another one.",
    el: "Ο κωδικός είναι γνωστός από διαρροή δεδομένων. Επιλέξτε άλλον.",
  },
  blockedDomain: {
    en: "Addresses of this domain are not accepted. Use another one.",
    el: "Οι διευθύνσεις αυτού του τομέα δεν γίνονται δεκτές. Χρησιμοποιήστε άλλη.",
  },
  ownDomain: {
    en: "Enter a domain that your organization can prove, such as acme.com. Domains of mail services are not accepted.",
    el: "Γράψτε έναν τομέα που μπορεί να αποδείξει ο οργανισμός σας, όπως acme.com. Οι τομείς υπηρεσιών email δεν γίνονται δεκτοί.",
  },
  tooStrong: {
    en: "This role holds {permission}, which nobody gets like this.",
    el: "Αυτός ο ρόλος έχει το δικαίωμα {permission}, που δεν δίνεται έτσι.",
  },
  future: { en: "Choose a time in the future.", el: "Επιλέξτε ώρα στο μέλλον." },
  within: { en: "At most {days} days ahead.", el: "Έως {days} ημέρες από τώρα." },
  issuerUnreachable: {
    en: "No OpenID provider answers at this address. Check it for typing errors.",
    el: "Σε αυτή τη διεύθυνση δεν απαντά πάροχος OpenID. Ελέγξτε μήπως γράφτηκε λάθος.",
  },
  issuerOther: {
    en: "The provider names another issuer. Enter the issuer exactly as the provider writes it.",
    el: "Ο πάροχος δηλώνει άλλον εκδότη. Γράψτε τον ακριβώς όπως τον γράφει ο πάροχος.",
  },
  issuerOfMany: {
    en: "This address stands for many organizations. Enter the issuer of yours, with its tenant id.",
    el: "Η διεύθυνση ανήκει σε πολλούς οργανισμούς. Βάλτε τον εκδότη του δικού σας, με το tenant id.",
  },
  issuerForm: {
    en: "Enter an address that begins with https://, without ? and #.",
    el: "Βάλτε διεύθυνση που αρχίζει με https://, χωρίς ? και #.",
  },
  invalid: { en: "This value is not accepted.", el: "Αυτή η τιμή δεν γίνεται δεκτή." },
});
