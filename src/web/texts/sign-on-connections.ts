import { dictionary } from "./dictionary.ts";

export const connectionPageTexts = dictionary({
  settings: { en: "Settings", el: "Ρυθμίσεις" },
  test: { en: "Test", el: "Δοκιμή" },
  groups: { en: "Groups and roles", el: "Ομάδες και ρόλοι" },
  people: { en: "People", el: "Άτομα" },
  back: { en: "Single sign-on", el: "Ενιαία σύνδεση" },
  created: { en: "Created on {date}", el: "Δημιουργήθηκε στις {date}" },
  createdBy: { en: "Created on {date} by {email}", el: "Δημιουργήθηκε στις {date} από {email}" },
  state: { en: "State", el: "Κατάσταση" },
  lastSignIn: { en: "Last sign-in", el: "Τελευταία είσοδος" },
  never: { en: "Never", el: "Ποτέ" },
  domains: { en: "Domains", el: "Τομείς" },
  noDomains: {
    en: "No domain leads to this connection, so nobody finds it. Choose it at a domain, under “Sign-in and joining”.",
    el: "Κανένας τομέας δεν οδηγεί σε αυτή τη σύνδεση, οπότε κανείς δεν τη βρίσκει. Επιλέξτε την σε έναν τομέα, στο «Σύνδεση και συμμετοχή».",
  },
  enable: { en: "Turn on", el: "Ενεργοποίηση" },
  disable: { en: "Turn off", el: "Απενεργοποίηση" },
  disableQuestion: {
    en: "Nobody can sign in by this connection while it is off. The links to people stay.",
    el: "Όσο είναι ανενεργή, κανείς δεν μπορεί να συνδεθεί με αυτή. Οι δεσμοί με τα άτομα μένουν.",
  },
  remove: { en: "Delete", el: "Διαγραφή" },
  removeQuestion: {
    en: "People are unlinked and mappings of groups go. Roles that groups gave stay as roles by hand.",
    el: "Οι δεσμοί με τα άτομα και οι αντιστοιχίσεις ομάδων διαγράφονται. Οι ρόλοι που έδωσαν οι ομάδες μένουν.",
  },
  removeConflict: {
    en: "This is the only connection that is on, and the organization requires single sign-on. Change the policy first.",
    el: "Είναι η μόνη ενεργή σύνδεση και ο οργανισμός απαιτεί ενιαία σύνδεση. Αλλάξτε πρώτα την πολιτική.",
  },
  addresses: { en: "Addresses for the provider", el: "Διευθύνσεις για τον πάροχο" },
  entry: { en: "Who comes in", el: "Ποιοι μπαίνουν" },
  provisioning: { en: "People who are not members", el: "Άτομα που δεν είναι μέλη" },
  none: { en: "Are refused, unless they are invited", el: "Δεν γίνονται δεκτά, εκτός αν έχουν πρόσκληση" },
  jit: { en: "Become members when they first sign in", el: "Γίνονται μέλη όταν συνδεθούν πρώτη φορά" },
  secondFactor: { en: "Second factor", el: "Δεύτερος παράγοντας" },
  own: {
    en: "People with a second factor of their account enter it here",
    el: "Όποιος έχει δεύτερο παράγοντα εδώ τον δίνει εδώ",
  },
  trusted: {
    en: "The provider's is trusted: a sign-in counts as two factors in the organization",
    el: "Του παρόχου είναι έμπιστος: μια σύνδεση μετρά ως δύο παράγοντες στον οργανισμό",
  },
  defaults: { en: "Roles of members without any other role", el: "Ρόλοι μελών χωρίς κανέναν άλλο ρόλο" },
  defaultsAbout: {
    en: "Without a role here, they get the default role of the organization.",
    el: "Χωρίς ρόλο εδώ παίρνουν τον προεπιλεγμένο ρόλο του οργανισμού.",
  },
});

export const connectionTexts = dictionary({
  step2: { en: "2. Connection", el: "2. Σύνδεση με πάροχο" },
  about: {
    en: "A connection joins the organization to an identity provider, over OpenID Connect.",
    el: "Συνδέει τον οργανισμό με έναν πάροχο ταυτότητας, μέσω OpenID Connect.",
  },
  connections: { en: "Connections", el: "Συνδέσεις με παρόχους" },
  none: { en: "There are no connections yet.", el: "Δεν υπάρχουν ακόμη συνδέσεις με παρόχους." },
  create: { en: "New connection", el: "Νέα σύνδεση" },
  createIt: { en: "Create the connection", el: "Δημιουργία της σύνδεσης" },
  made: { en: "The connection is made", el: "Η σύνδεση δημιουργήθηκε" },
  provider: { en: "Identity provider", el: "Πάροχος ταυτότητας" },
  entra: { en: "Microsoft Entra", el: "Microsoft Entra" },
  okta: { en: "Okta", el: "Okta" },
  google: { en: "Google", el: "Google" },
  other: { en: "Other", el: "Άλλος" },
  name: { en: "Name", el: "Όνομα" },
  nameAbout: { en: "People see it on the sign-in button.", el: "Φαίνεται στο κουμπί της σύνδεσης." },
  issuer: { en: "Issuer", el: "Εκδότης (issuer)" },
  entraIssuer: {
    en: "https://login.microsoftonline.com/, then the tenant id, then /v2.0",
    el: "https://login.microsoftonline.com/, μετά το tenant id, μετά /v2.0",
  },
  oktaIssuer: {
    en: "That of your authorization server, such as https://acme.okta.com/oauth2/default",
    el: "Του authorization server σας, όπως https://acme.okta.com/oauth2/default",
  },
  googleIssuer: { en: "This is the same for every organization.", el: "Είναι ο ίδιος για κάθε οργανισμό." },
  otherIssuer: {
    en: "Exactly as the provider names itself, without /.well-known/openid-configuration.",
    el: "Ακριβώς όπως ονομάζει ο πάροχος τον εαυτό του, χωρίς /.well-known/openid-configuration.",
  },
  clientId: { en: "Client id", el: "Client id" },
  clientSecret: { en: "Client secret", el: "Client secret" },
  secretKept: {
    en: "Leave empty to keep the stored secret. A new issuer needs the secret again.",
    el: "Αφήστε το κενό για να μείνει το αποθηκευμένο. Νέος εκδότης το χρειάζεται ξανά.",
  },
  secretNone: {
    en: "No secret is stored. Leave empty for a public client.",
    el: "Δεν υπάρχει αποθηκευμένο. Αφήστε το κενό για δημόσιο client.",
  },
  secretExpires: { en: "The secret expires on", el: "Το secret λήγει στις" },
  secretExpiresAbout: {
    en: "You are reminded 30 days, 7 days and 1 day before.",
    el: "Θα σας το θυμίσουμε 30 ημέρες, 7 ημέρες και 1 ημέρα πριν.",
  },
  claims: { en: "Claims and scopes", el: "Claims και scopes" },
  claimsAbout: {
    en: "Which claims say who a person is. Change them only if your provider uses other names.",
    el: "Ποια claims λένε ποιο είναι το άτομο. Αλλάξτε τα μόνο αν ο πάροχός σας έχει άλλα ονόματα.",
  },
  scopes: { en: "Scopes", el: "Scopes" },
  subject: { en: "Claim of the person's id", el: "Claim για το id του ατόμου" },
  emailClaim: { en: "Claim of the email address", el: "Claim για το email" },
  firstNameClaim: { en: "Claim of the first name", el: "Claim για το όνομα" },
  lastNameClaim: { en: "Claim of the last name", el: "Claim για το επώνυμο" },
  groupsClaim: { en: "Claim of the groups", el: "Claim για τις ομάδες" },
  fixed: {
    en: "People are linked to this connection, so issuer, client id and the claim of the id stay.",
    el: "Υπάρχουν συνδεδεμένα άτομα, οπότε εκδότης, client id και claim του id δεν αλλάζουν.",
  },
  editConflict: {
    en: "People are linked to this connection, so issuer, client id and the claim of the id stay. Make another connection instead.",
    el: "Υπάρχουν συνδεδεμένα άτομα, οπότε εκδότης, client id και claim του id δεν αλλάζουν. Δημιουργήστε άλλη σύνδεση.",
  },
  tooMany: {
    en: "An organization has at most 5 connections. Delete one first.",
    el: "Ένας οργανισμός έχει έως 5 συνδέσεις. Διαγράψτε πρώτα μία.",
  },
  redirectAddress: { en: "Redirect address", el: "Διεύθυνση επιστροφής (redirect)" },
  redirectAbout: {
    en: "Enter this address at the provider as redirect address. Then test the connection.",
    el: "Καταχωρίστε αυτή τη διεύθυνση στον πάροχο ως redirect. Ύστερα δοκιμάστε τη σύνδεση.",
  },
  copyRedirect: { en: "Copy the redirect address", el: "Αντιγραφή του redirect" },
  copyStart: { en: "Copy the start address", el: "Αντιγραφή της έναρξης" },
  startAddress: { en: "Start address", el: "Διεύθυνση έναρξης" },
  startAbout: {
    en: "For a tile at the provider: sign-in begins here.",
    el: "Για ένα εικονίδιο στον πάροχο: από εδώ αρχίζει η σύνδεση.",
  },
  edit: { en: "Edit", el: "Επεξεργασία" },
  editTitle: { en: "Edit the connection", el: "Επεξεργασία της σύνδεσης" },
  close: { en: "Close", el: "Κλείσιμο" },
});

export const guideTexts = dictionary({
  guide: { en: "What to do at the provider", el: "Τι να κάνετε στον πάροχο" },
  entra1: {
    en: "In the Microsoft Entra admin center, open “App registrations” and choose “New registration”.",
    el: "Στο Microsoft Entra admin center ανοίξτε το «App registrations» και επιλέξτε «New registration».",
  },
  entra2: {
    en: "Choose “Accounts in this organizational directory only”. Leave the redirect address empty for now.",
    el: "Επιλέξτε «Accounts in this organizational directory only». Αφήστε προς το παρόν κενό το redirect.",
  },
  entra3: {
    en: "Copy “Directory (tenant) ID” into the issuer, and “Application (client) ID” into the client id.",
    el: "Αντιγράψτε το «Directory (tenant) ID» στον εκδότη και το «Application (client) ID» στο client id.",
  },
  entra4: {
    en: "Under “Certificates & secrets”, add a client secret. Copy its value, and the day it expires.",
    el: "Στο «Certificates & secrets» προσθέστε client secret. Αντιγράψτε την τιμή του και την ημέρα λήξης του.",
  },
  entra5: {
    en: "Under “Token configuration”, add the optional claims “email”, “given_name”, “family_name” and “auth_time” to the ID token, and a groups claim with the groups assigned to the application.",
    el: "Στο «Token configuration» προσθέστε στο ID token τα προαιρετικά claims «email», «given_name», «family_name» και «auth_time», και ένα groups claim με τις ομάδες της εφαρμογής.",
  },
  okta1: {
    en: "In the Okta admin console, choose “Create App Integration”, then “OIDC” and “Web Application”.",
    el: "Στην κονσόλα διαχείρισης του Okta επιλέξτε «Create App Integration», «OIDC» και «Web Application».",
  },
  okta2: {
    en: "Enter https://example.com as sign-in redirect address for now. You replace it after the next step.",
    el: "Ως redirect βάλτε προς το παρόν https://example.com. Θα το αντικαταστήσετε μετά το επόμενο βήμα.",
  },
  okta3: {
    en: "Assign people or groups to the application. Copy client id and client secret.",
    el: "Αναθέστε στην εφαρμογή άτομα ή ομάδες. Αντιγράψτε client id και client secret.",
  },
  okta4: {
    en: "At your authorization server, under “Security”, “API”, add a claim “groups” of the type “Groups” with a filter. Include it in the ID token, always.",
    el: "Στον authorization server σας, στο «Security», «API», προσθέστε claim «groups» τύπου «Groups» με φίλτρο. Να μπαίνει πάντα στο ID token.",
  },
  google1: {
    en: "In the Google Cloud console, make the consent screen “Internal”.",
    el: "Στο Google Cloud console ορίστε την οθόνη συναίνεσης ως «Internal».",
  },
  google2: {
    en: "Under “Credentials”, create an OAuth client id for a “Web application”. Leave the redirect addresses empty for now.",
    el: "Στο «Credentials» δημιουργήστε OAuth client id για «Web application». Αφήστε προς το παρόν κενά τα redirect.",
  },
  google3: {
    en: "Copy client id and client secret. Google sends no groups.",
    el: "Αντιγράψτε client id και client secret. Η Google δεν στέλνει ομάδες.",
  },
  other1: {
    en: "Register a web application with the authorization code flow.",
    el: "Καταχωρίστε μια εφαρμογή web με authorization code flow.",
  },
  other2: {
    en: "Copy issuer, client id and client secret. You get the redirect address after the next step.",
    el: "Αντιγράψτε εκδότη, client id και client secret. Το redirect θα το δείτε μετά το επόμενο βήμα.",
  },
});
