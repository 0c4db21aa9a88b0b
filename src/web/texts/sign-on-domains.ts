import { dictionary } from "./dictionary.ts";

/** Texts of the form that adds a domain. */
export const addDomainTexts = dictionary({
  domain: { en: "New domain", el: "Νέος τομέας" },
  domainAbout: { en: "For example acme.com.", el: "Για παράδειγμα acme.com." },
  add: { en: "Add domain", el: "Προσθήκη τομέα" },
  added: {
    en: "{domain} was added. Publish its record in DNS.",
    el: "Ο τομέας {domain} προστέθηκε. Δημοσιεύστε την εγγραφή του στο DNS.",
  },
  exists: {
    en: "Your organization already has this domain.",
    el: "Ο οργανισμός σας έχει ήδη αυτόν τον τομέα.",
  },
  tooMany: {
    en: "An organization has at most {max} domains. Remove one first.",
    el: "Ένας οργανισμός έχει έως {max} τομείς. Αφαιρέστε πρώτα έναν.",
  },
});

/** Texts of how people of a domain sign in and join. */
export const domainSettingsTexts = dictionary({
  edit: { en: "Sign-in and joining", el: "Σύνδεση και συμμετοχή" },
  editTitle: { en: "Sign-in and joining: {domain}", el: "Σύνδεση και συμμετοχή: {domain}" },
  connection: { en: "Connection", el: "Σύνδεση παρόχου" },
  connectionAbout: {
    en: "People with an address in this domain sign in by this connection.",
    el: "Όσοι έχουν διεύθυνση σε αυτόν τον τομέα συνδέονται μέσω αυτής.",
  },
  noConnection: { en: "None", el: "Καμία" },
  join: { en: "Joining", el: "Συμμετοχή" },
  joinAbout: {
    en: "Whether people with an address in this domain may join without an invitation.",
    el: "Αν όσοι έχουν διεύθυνση σε αυτόν τον τομέα μπορούν να γίνουν μέλη χωρίς πρόσκληση.",
  },
  off: { en: "Nobody joins without an invitation", el: "Κανένας δεν γίνεται μέλος χωρίς πρόσκληση" },
  request: { en: "People ask to join, and you decide", el: "Ζητούν να γίνουν μέλη, και αποφασίζετε εσείς" },
  automatic: { en: "People join at once", el: "Γίνονται αμέσως μέλη" },
  needsVerified: {
    en: "Once the domain is verified, you can let its people join here.",
    el: "Μόλις επαληθευτεί ο τομέας, μπορείτε εδώ να επιτρέψετε τη συμμετοχή.",
  },
  roles: { en: "Roles of people who join", el: "Ρόλοι όσων γίνονται μέλη" },
  rolesAbout: {
    en: "Without a role here, people get the default role of the organization.",
    el: "Αν δεν ορίσετε ρόλο, παίρνουν τον προεπιλεγμένο ρόλο του οργανισμού.",
  },
  defaultRole: { en: "the default role", el: "ο προεπιλεγμένος ρόλος" },
});

/** Texts of the domains of the organization. */
export const domainTexts = dictionary({
  title: { en: "1. Domains", el: "1. Τομείς" },
  about: {
    en: "Prove which domains belong to the organization. People with an address in a verified domain can sign in by the connection that is chosen for it. Sub-domains are domains of their own.",
    el: "Αποδείξτε ποιοι τομείς ανήκουν στον οργανισμό. Όσοι έχουν διεύθυνση σε επαληθευμένο τομέα μπορούν να συνδέονται με τον πάροχο που επιλέγεται για αυτόν. Οι υποτομείς είναι ξεχωριστοί τομείς.",
  },
  none: { en: "There are no domains.", el: "Δεν υπάρχουν τομείς." },
  list: { en: "Domains of the organization", el: "Τομείς του οργανισμού" },
  PENDING: { en: "Pending", el: "Εκκρεμεί" },
  VERIFIED: { en: "Verified", el: "Επαληθευμένος" },
  LAPSED: { en: "Lapsed", el: "Έληξε" },
  lapsing: { en: "Lapses on {day}", el: "Λήγει στις {day}" },
  pendingAbout: {
    en: "Publish this record in DNS. It is checked every ten minutes in the first seven days.",
    el: "Δημοσιεύστε αυτή την εγγραφή στο DNS. Τις πρώτες επτά ημέρες ελέγχεται κάθε δέκα λεπτά.",
  },
  lapsingAbout: {
    en: "The record has been missing since {since}. If it is not published again by {until}, the domain lapses: nobody new signs in or joins by it.",
    el: "Η εγγραφή λείπει από τις {since}. Αν δεν δημοσιευτεί ξανά έως τις {until}, ο τομέας λήγει: κανένας νέος δεν θα συνδέεται ούτε θα συμμετέχει μέσω αυτού.",
  },
  lapsedAbout: {
    en: "The record has been missing for more than two weeks. Nobody new signs in or joins by this domain. Publish the record again.",
    el: "Η εγγραφή λείπει πάνω από δύο εβδομάδες. Κανένας νέος δεν συνδέεται ούτε συμμετέχει μέσω αυτού του τομέα. Δημοσιεύστε ξανά την εγγραφή.",
  },
  verifiedAt: { en: "Verified on {day}.", el: "Επαληθεύτηκε στις {day}." },
  lastCheck: { en: "Last check:", el: "Τελευταίος έλεγχος:" },
  notChecked: { en: "Not checked yet.", el: "Δεν έχει ελεγχθεί ακόμη." },
  remove: { en: "Remove", el: "Αφαίρεση" },
  removeQuestion: {
    en: "Nobody new will sign in or join by {domain}. To add the domain again later, you need a new record.",
    el: "Κανένας νέος δεν θα συνδέεται ούτε θα συμμετέχει μέσω του τομέα {domain}. Για να τον προσθέσετε ξανά αργότερα, θα χρειαστείτε νέα εγγραφή.",
  },
  removeRefused: {
    en: "The policy requires single sign-on, or announces it. Turn it off in step 4 first.",
    el: "Η πολιτική απαιτεί ενιαία σύνδεση ή την έχει ανακοινώσει. Απενεργοποιήστε την πρώτα στο βήμα 4.",
  },
});

/** Texts of the record of a domain, and of its check. */
export const recordTexts = dictionary({
  record: { en: "DNS record", el: "Εγγραφή DNS" },
  recordAbout: {
    en: "The record must stay: it is checked every day.",
    el: "Η εγγραφή πρέπει να παραμείνει: ελέγχεται κάθε ημέρα.",
  },
  type: { en: "Type", el: "Τύπος" },
  name: { en: "Name", el: "Όνομα" },
  value: { en: "Value", el: "Τιμή" },
  copyName: { en: "Copy name", el: "Αντιγραφή ονόματος" },
  copyValue: { en: "Copy value", el: "Αντιγραφή τιμής" },
  check: { en: "Check now", el: "Έλεγχος τώρα" },
  present: {
    en: "The record is there. The domain is verified.",
    el: "Η εγγραφή υπάρχει. Ο τομέας επαληθεύτηκε.",
  },
  missing: {
    en: "There is no TXT record with the name {name} yet. A new record can take up to an hour to appear.",
    el: "Δεν υπάρχει ακόμη εγγραφή TXT με όνομα {name}. Μια νέα εγγραφή μπορεί να χρειαστεί έως και μία ώρα για να εμφανιστεί.",
  },
  different: {
    en: "There are TXT records with the name {name}, but none has the right value. Found:",
    el: "Υπάρχουν εγγραφές TXT με όνομα {name}, αλλά καμία δεν έχει τη σωστή τιμή. Βρέθηκαν:",
  },
  emptyValue: { en: "(empty)", el: "(κενή)" },
  unanswered: {
    en: "The DNS servers of {domain} did not answer. Nothing has changed. Try again later.",
    el: "Οι διακομιστές DNS του {domain} δεν απάντησαν. Δεν άλλαξε τίποτα. Δοκιμάστε ξανά αργότερα.",
  },
  tooOften: {
    en: "Domains can be checked ten times an hour. Try again later.",
    el: "Οι τομείς ελέγχονται έως δέκα φορές την ώρα. Δοκιμάστε ξανά αργότερα.",
  },
  elsewhere: {
    en: "Domains cannot be checked here. New ones are checked every ten minutes by themselves.",
    el: "Εδώ δεν γίνεται έλεγχος τομέων. Οι νέοι ελέγχονται αυτόματα κάθε δέκα λεπτά.",
  },
});
