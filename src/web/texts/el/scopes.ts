export const scopeTexts = {
  "organization:read": "Προβολή του οργανισμού και των στοιχείων του",
  "roles:read": "Προβολή ρόλων",
  "billing:read": "Προβολή του πακέτου και της χρήσης του",
  "units:read": "Προβολή μονάδων",
  "units:write": "Δημιουργία, μετονομασία και διαγραφή μονάδων",
  "members:read": "Προβολή μελών, των ρόλων και των διευθύνσεων email τους",
  "invitations:read": "Προβολή προσκλήσεων",
  "events:read": "Ανάγνωση συμβάντων",
  "audit:read": "Ανάγνωση του ιστορικού ενεργειών",
  "helpdesk:read": "Ανάγνωση των αιτημάτων που μπορείτε να απαντάτε",
  "helpdesk:write": "Απάντηση σε αιτήματα και αλλαγή της κατάστασής τους",
} as const;

export const generalScopeTexts = {
  see: "Προβολή: {entity}",
  change: "Αλλαγή: {entity}",
} as const;
