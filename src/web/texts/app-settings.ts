import { dictionary } from "./dictionary.ts";

/** Texts of the organization's pages about connected apps. */
export const appSettingsTexts = dictionary({
  apps: { en: "Connected apps", el: "Συνδεδεμένες εφαρμογές" },
  about: {
    en: "Apps and agents that act for members of the organization.",
    el: "Εφαρμογές και βοηθοί που ενεργούν για μέλη του οργανισμού.",
  },
  list: { en: "List of connected apps", el: "Λίστα συνδεδεμένων εφαρμογών" },
  none: { en: "No member has connected an app.", el: "Κανένα μέλος δεν έχει συνδέσει εφαρμογή." },
  member: { en: "Member", el: "Μέλος" },
  onlyApp: { en: "Show only this app", el: "Μόνο αυτή η εφαρμογή" },
  onlyMember: { en: "Show only this member", el: "Μόνο αυτό το μέλος" },
  disconnectQuestion: {
    en: "“{name}” can no longer act for {member}. This takes effect at once.",
    el: "Η εφαρμογή «{name}» δεν μπορεί πια να ενεργεί για το μέλος {member}. Ισχύει αμέσως.",
  },
  rules: { en: "Rules", el: "Κανόνες" },
  rulesAbout: { en: "Which apps members may connect.", el: "Ποιες εφαρμογές μπορούν να συνδέουν τα μέλη." },
  policy: { en: "Who may connect apps", el: "Ποιος μπορεί να συνδέει εφαρμογές" },
  off: { en: "Nobody", el: "Κανένας" },
  offAbout: { en: "No app may be connected.", el: "Δεν συνδέεται καμία εφαρμογή." },
  approved: { en: "Members, approved apps only", el: "Τα μέλη, μόνο εγκεκριμένες εφαρμογές" },
  approvedAbout: {
    en: "Approved apps, and registered ones of the organization and of the operator.",
    el: "Εγκεκριμένες εφαρμογές, και όσες έχουν καταχωρίσει ο οργανισμός και ο πάροχος.",
  },
  any: { en: "Members, any app", el: "Τα μέλη, κάθε εφαρμογή" },
  anyAbout: {
    en: "Every app that a member trusts, unless the operator has blocked it.",
    el: "Κάθε εφαρμογή που εμπιστεύεται ένα μέλος, εκτός αν την έχει αποκλείσει ο πάροχος.",
  },
  ending: {
    en: "Connected apps that end when you save: {count}.",
    el: "Συνδεδεμένες εφαρμογές που θα αποσυνδεθούν με την αποθήκευση: {count}.",
  },
  counting: {
    en: "Counting the connected apps that would end…",
    el: "Μετρώνται οι συνδεδεμένες εφαρμογές που θα αποσυνδέονταν…",
  },
  approvedApps: { en: "Approved apps", el: "Εγκεκριμένες εφαρμογές" },
  approvedAppsAbout: {
    en: "By the host that describes the app, such as claude.ai, or by its whole client id.",
    el: "Με τον ιστότοπο που περιγράφει την εφαρμογή, π.χ. claude.ai, ή με ολόκληρο το αναγνωριστικό της.",
  },
  approvedList: { en: "List of approved apps", el: "Λίστα εγκεκριμένων εφαρμογών" },
  noApproved: { en: "No app is approved.", el: "Δεν έχει εγκριθεί καμία εφαρμογή." },
  byOperator: { en: "Approved by the operator", el: "Με έγκριση του παρόχου" },
  appField: { en: "Host or client id", el: "Ιστότοπος ή αναγνωριστικό εφαρμογής" },
  appFieldAbout: {
    en: "If a host has the pages of many people, enter the whole client id.",
    el: "Αν ένας ιστότοπος έχει σελίδες πολλών, γράψτε ολόκληρο το αναγνωριστικό.",
  },
  approve: { en: "Approve", el: "Έγκριση" },
  exists: {
    en: "This app is approved already, or there are too many.",
    el: "Η εφαρμογή έχει ήδη εγκριθεί ή υπάρχουν πάρα πολλές.",
  },
  removeApproval: { en: "Remove the approval", el: "Αφαίρεση έγκρισης" },
  removeApprovalOf: { en: "Remove the approval of {app}", el: "Αφαίρεση έγκρισης: {app}" },
  removeApprovalQuestion: {
    en: "If only approved apps may be connected, connected apps that nothing else covers end at once.",
    el: "Αν συνδέονται μόνο εγκεκριμένες εφαρμογές, όσες δεν καλύπτονται αλλιώς αποσυνδέονται αμέσως.",
  },
});

export const registeredAppTexts = dictionary({
  registered: { en: "Registered apps", el: "Καταχωρισμένες εφαρμογές" },
  about: {
    en: "Apps of the organization itself, with a client id that you give to the app.",
    el: "Εφαρμογές του ίδιου του οργανισμού, με αναγνωριστικό που δίνετε στην εφαρμογή.",
  },
  platformAbout: {
    en: "Apps of the operator. People of every organization can connect them.",
    el: "Εφαρμογές του παρόχου. Μπορούν να τις συνδέουν άτομα κάθε οργανισμού.",
  },
  list: { en: "List of registered apps", el: "Λίστα καταχωρισμένων εφαρμογών" },
  none: { en: "There are no registered apps.", el: "Δεν υπάρχουν καταχωρισμένες εφαρμογές." },
  create: { en: "Register an app", el: "Καταχώριση εφαρμογής" },
  name: { en: "Name", el: "Όνομα" },
  nameAbout: {
    en: "People see it when they connect the app.",
    el: "Φαίνεται σε όποιον συνδέει την εφαρμογή.",
  },
  redirectUris: { en: "Redirect addresses", el: "Διευθύνσεις επιστροφής" },
  redirectUrisAbout: {
    en: "One on each line. https, or http on the computer of the person, such as http://localhost/callback.",
    el: "Μία σε κάθε γραμμή. https, ή http στον υπολογιστή του ατόμου, π.χ. http://localhost/callback.",
  },
  confidential: { en: "The app keeps a secret", el: "Η εφαρμογή κρατά μυστικό" },
  confidentialAbout: {
    en: "For apps that run on a server. It cannot be changed later.",
    el: "Για εφαρμογές που εκτελούνται σε διακομιστή. Δεν αλλάζει αργότερα.",
  },
  clientId: { en: "Client id", el: "Αναγνωριστικό" },
  copyId: { en: "Copy client id", el: "Αντιγραφή αναγνωριστικού" },
  grants: { en: "Connected", el: "Συνδέσεις" },
  created: { en: "Created", el: "Καταχώριση" },
  enabled: { en: "Enabled", el: "Ενεργή" },
  disabled: { en: "Disabled", el: "Ανενεργή" },
  hasSecret: { en: "With secret", el: "Με μυστικό" },
  secretEnds: {
    en: "The previous secret works until {date}",
    el: "Το προηγούμενο μυστικό ισχύει έως {date}",
  },
  edit: { en: "Edit", el: "Επεξεργασία" },
  editTitle: { en: "Edit {name}", el: "Επεξεργασία: {name}" },
  enable: { en: "Enable", el: "Ενεργοποίηση" },
  disable: { en: "Disable", el: "Απενεργοποίηση" },
  disableQuestion: {
    en: "The app cannot act for anybody until it is enabled again. Its connections stay.",
    el: "Η εφαρμογή δεν ενεργεί για κανέναν μέχρι να ενεργοποιηθεί ξανά. Οι συνδέσεις της μένουν.",
  },
  rotate: { en: "Replace secret", el: "Αντικατάσταση μυστικού" },
  overlap: { en: "How long the old secret also works", el: "Πόσο ισχύει ακόμη το παλιό μυστικό" },
  remove: { en: "Delete", el: "Διαγραφή" },
  removeQuestion: {
    en: "“{name}” is deleted. It loses its access for everybody at once.",
    el: "Η εφαρμογή «{name}» θα διαγραφεί. Χάνει αμέσως την πρόσβαση για όλους.",
  },
  actionsOf: { en: "Actions for {name}", el: "Ενέργειες για την εφαρμογή {name}" },
  tooMany: {
    en: "There are too many registered apps.",
    el: "Υπάρχουν πάρα πολλές καταχωρισμένες εφαρμογές.",
  },
  secret: { en: "Client secret", el: "Μυστικό εφαρμογής" },
  shown: { en: "Your new client secret", el: "Το νέο μυστικό της εφαρμογής" },
  shownOnce: {
    en: "Copy the secret now. It is not shown again. The app sends it with its client id.",
    el: "Αντιγράψτε το μυστικό τώρα. Δεν θα εμφανιστεί ξανά. Η εφαρμογή το στέλνει μαζί με το αναγνωριστικό της.",
  },
  notShown: {
    en: "The secret was created, but it cannot be shown again. Replace it with another one.",
    el: "Το μυστικό δημιουργήθηκε, αλλά δεν μπορεί να εμφανιστεί ξανά. Αντικαταστήστε το.",
  },
  kept: { en: "I have stored the secret", el: "Το έχω αποθηκεύσει" },
});
