import { dictionary } from "./dictionary.ts";

/** Texts of the page on which a person allows an app something. */
export const authorizeTexts = dictionary({
  title: { en: "Connect an app", el: "Σύνδεση εφαρμογής" },
  question: { en: "Let {name} act for you?", el: "Να ενεργεί η εφαρμογή {name} για εσάς;" },
  signedInAs: { en: "You are signed in as {email}.", el: "Έχετε συνδεθεί ως {email}." },
  otherAccount: { en: "Use another account", el: "Χρήση άλλου λογαριασμού" },
  accessGoesTo: { en: "Access goes to", el: "Πρόσβαση αποκτά" },
  operatorApp: {
    en: "An app of the operator of this service.",
    el: "Εφαρμογή του παρόχου αυτής της υπηρεσίας.",
  },
  organizationApp: { en: "An app of your organization.", el: "Εφαρμογή του οργανισμού σας." },
  loopback: {
    en: "This app runs on this computer. Never send the address of the page that opens next to anybody, whoever asks.",
    el: "Η εφαρμογή εκτελείται σε αυτόν τον υπολογιστή. Μη στείλετε σε κανέναν τη διεύθυνση της σελίδας που θα ανοίξει, όποιος κι αν τη ζητήσει.",
  },
  otherSite: {
    en: "Access goes to another site than the app's.",
    el: "Την πρόσβαση αποκτά άλλος ιστότοπος, όχι της εφαρμογής.",
  },
  anybody: {
    en: "Anybody can publish an app under any name. Go by the address {host}.",
    el: "Οποιοσδήποτε μπορεί να δημοσιεύσει εφαρμογή με οποιοδήποτε όνομα. Εμπιστευτείτε τη διεύθυνση {host}.",
  },
  ownRecords: {
    en: "Your own records in {organization} are included.",
    el: "Περιλαμβάνονται και οι δικές σας εγγραφές στον οργανισμό {organization}.",
  },
  organization: { en: "Organization", el: "Οργανισμός" },
  off: {
    en: "Apps cannot be connected in this organization",
    el: "Σε αυτόν τον οργανισμό δεν συνδέονται εφαρμογές",
  },
  notApproved: {
    en: "Your administrator has not approved this app",
    el: "Ο διαχειριστής σας δεν έχει εγκρίνει αυτή την εφαρμογή",
  },
  suspended: { en: "This organization is suspended", el: "Αυτός ο οργανισμός έχει ανασταλεί" },
  otherOrganization: {
    en: "This app belongs to another organization",
    el: "Αυτή η εφαρμογή ανήκει σε άλλον οργανισμό",
  },
  otherSignIn: {
    en: "Switch to this organization first: it asks for another sign-in or a second factor",
    el: "Μεταβείτε πρώτα σε αυτόν τον οργανισμό: ζητά άλλη σύνδεση ή δεύτερο παράγοντα",
  },
  noOrganization: {
    en: "You belong to no organization in which an app could act.",
    el: "Δεν ανήκετε σε οργανισμό όπου θα μπορούσε να ενεργεί μια εφαρμογή.",
  },
  platform: {
    en: "Platform administrators cannot connect apps. Use another account.",
    el: "Οι διαχειριστές πλατφόρμας δεν συνδέουν εφαρμογές. Χρησιμοποιήστε άλλον λογαριασμό.",
  },
  place: { en: "Where the app may act", el: "Πού μπορεί να ενεργεί η εφαρμογή" },
  whole: { en: "Whole organization", el: "Όλος ο οργανισμός" },
  onlyUnit: { en: "Only this unit and below", el: "Μόνο αυτή η μονάδα και οι υπομονάδες της" },
  unit: { en: "Unit", el: "Μονάδα" },
  searchUnit: { en: "Search for a unit", el: "Αναζήτηση μονάδας" },
  see: { en: "See", el: "Προβολή" },
  change: { en: "Change", el: "Αλλαγή" },
  changeAbout: {
    en: "Nothing of this is chosen for you. Changes by the app are made in your name.",
    el: "Τίποτα από αυτά δεν είναι προεπιλεγμένο. Οι αλλαγές της εφαρμογής γίνονται στο όνομά σας.",
  },
  nothingHeld: {
    en: "Your roles in this organization include nothing that the app asks for.",
    el: "Οι ρόλοι σας σε αυτόν τον οργανισμό δεν περιλαμβάνουν τίποτα από όσα ζητά η εφαρμογή.",
  },
  ends: { en: "Access ends after", el: "Η πρόσβαση λήγει μετά από" },
  day: { en: "1 day", el: "1 ημέρα" },
  days: { en: "{count} days", el: "{count} ημέρες" },
  endsAbout: {
    en: "You can disconnect the app earlier: in your profile, under “Connected apps”.",
    el: "Μπορείτε να αποσυνδέσετε την εφαρμογή νωρίτερα: στο προφίλ σας, στις «Συνδεδεμένες εφαρμογές».",
  },
  allow: { en: "Allow", el: "Να επιτραπεί" },
  deny: { en: "Deny", el: "Απόρριψη" },
  chooseScope: { en: "Choose what the app may do.", el: "Επιλέξτε τι μπορεί να κάνει η εφαρμογή." },
  chooseUnit: { en: "Choose a unit.", el: "Επιλέξτε μονάδα." },
  expired: {
    en: "This page was open for too long. Load it again.",
    el: "Η σελίδα έμεινε ανοιχτή πολλή ώρα. Φορτώστε την ξανά.",
  },
  conflict: {
    en: "This request was approved before, or you have too many connected apps. Start again in the app.",
    el: "Αυτό το αίτημα έχει ήδη εγκριθεί ή έχετε πάρα πολλές συνδεδεμένες εφαρμογές. Ξεκινήστε ξανά από την εφαρμογή.",
  },
  reload: { en: "Load again", el: "Επαναφόρτωση" },
  faultTitle: { en: "This app cannot be connected", el: "Αυτή η εφαρμογή δεν μπορεί να συνδεθεί" },
  invalidClient: {
    en: "The app is not known here, or its description could not be read.",
    el: "Η εφαρμογή δεν είναι γνωστή εδώ ή η περιγραφή της δεν ήταν δυνατό να διαβαστεί.",
  },
  invalidTarget: {
    en: "The app asks for access to something else than this service.",
    el: "Η εφαρμογή ζητά πρόσβαση σε κάτι άλλο και όχι σε αυτή την υπηρεσία.",
  },
  invalidRequest: {
    en: "The app sent a request that this service does not understand. Tell the people who make it.",
    el: "Η εφαρμογή έστειλε αίτημα που αυτή η υπηρεσία δεν καταλαβαίνει. Ενημερώστε όσους την αναπτύσσουν.",
  },
  isOff: {
    en: "Apps cannot be connected to this service.",
    el: "Σε αυτή την υπηρεσία δεν συνδέονται εφαρμογές.",
  },
  details: {
    en: "Details for the people who make the app: {error}",
    el: "Λεπτομέρειες για όσους αναπτύσσουν την εφαρμογή: {error}",
  },
  backTo: { en: "Back to {host}", el: "Επιστροφή στο {host}" },
  unsafe: {
    en: "The address of the app is not safe, so it was not opened.",
    el: "Η διεύθυνση της εφαρμογής δεν είναι ασφαλής και δεν άνοιξε.",
  },
});
