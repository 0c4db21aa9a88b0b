import { dictionary } from "./dictionary.ts";

export const settingsTexts = dictionary({
  settings: { en: "Settings", el: "Ρυθμίσεις" },
  general: { en: "Organization", el: "Οργανισμός" },
  name: { en: "Name", el: "Όνομα" },
  slug: { en: "Short name", el: "Σύντομο όνομα" },
  slugAbout: {
    en: "For addresses and exports: lower-case letters, digits and hyphens.",
    el: "Για διευθύνσεις και εξαγωγές: μικρά λατινικά γράμματα, ψηφία και παύλες.",
  },
  defaultRole: { en: "Default role", el: "Προεπιλεγμένος ρόλος" },
  defaultRoleAbout: {
    en: "New members get this role if none of the roles in their invitation exists any more.",
    el: "Τα νέα μέλη παίρνουν αυτόν τον ρόλο αν δεν υπάρχει πια κανένας ρόλος της πρόσκλησής τους.",
  },
  platformDefault: { en: "Platform default (Member)", el: "Προεπιλογή της πλατφόρμας (Μέλος)" },
  founded: { en: "Created", el: "Δημιουργήθηκε" },
  deletion: {
    en: "Only a platform administrator can delete an organization.",
    el: "Μόνο ένας διαχειριστής της πλατφόρμας μπορεί να διαγράψει οργανισμό.",
  },
  signOn: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
  signOnAbout: {
    en: "Let people sign in with the identity provider of your organization.",
    el: "Οι άνθρωποι συνδέονται με τον πάροχο ταυτότητας του οργανισμού σας.",
  },
  signOnOpen: { en: "Set up single sign-on", el: "Ρύθμιση ενιαίας σύνδεσης" },
  apps: { en: "Connected apps", el: "Συνδεδεμένες εφαρμογές" },
  appsAbout: {
    en: "Choose which apps and agents members may connect, and see those that are connected.",
    el: "Επιλέξτε ποιες εφαρμογές μπορούν να συνδέουν τα μέλη και δείτε όσες έχουν συνδεθεί.",
  },
  appsOpen: { en: "Open connected apps", el: "Άνοιγμα συνδεδεμένων εφαρμογών" },
});
