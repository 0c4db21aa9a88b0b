import { dictionary } from "../../lib/i18n.tsx";

export const settingsTexts = dictionary(
  {
    settings: "Settings",
    general: "Organization",
    name: "Name",
    slug: "Short name",
    slugAbout: "For addresses and exports: lower-case letters, digits and hyphens.",
    defaultRole: "Default role",
    defaultRoleAbout: "Given to people when the roles that they were invited with no longer exist.",
    platformDefault: "That of the platform (Member)",
    save: "Save",
    founded: "Created",
    deletion: "Only an administrator of the platform can delete an organization.",
  },
  {
    settings: "Ρυθμίσεις",
    general: "Οργανισμός",
    name: "Όνομα",
    slug: "Σύντομο όνομα",
    slugAbout: "Για διευθύνσεις και εξαγωγές: μικρά λατινικά γράμματα, ψηφία και παύλες.",
    defaultRole: "Προεπιλεγμένος ρόλος",
    defaultRoleAbout: "Δίνεται σε όποιον προσκλήθηκε με ρόλους που δεν υπάρχουν πια.",
    platformDefault: "Της πλατφόρμας (Μέλος)",
    save: "Αποθήκευση",
    founded: "Δημιουργήθηκε",
    deletion: "Μόνο ένας διαχειριστής της πλατφόρμας μπορεί να διαγράψει οργανισμό.",
  },
);
