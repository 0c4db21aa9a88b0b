import { dictionary } from "./dictionary.ts";

export const shellTexts = dictionary({
  noAccess: { en: "No access", el: "Χωρίς πρόσβαση" },
  leaveUnsaved: {
    en: "You have unsaved changes. Leave the page without saving?",
    el: "Υπάρχουν αλλαγές που δεν έχουν αποθηκευτεί. Να φύγετε από τη σελίδα χωρίς αποθήκευση;",
  },
  skip: { en: "Skip to the content", el: "Μετάβαση στο περιεχόμενο" },
  navigation: { en: "Main menu", el: "Κύριο μενού" },
  openMenu: { en: "Open or close the menu", el: "Άνοιγμα ή κλείσιμο του μενού" },
  home: { en: "Home", el: "Αρχική" },
  welcome: { en: "Welcome, {name}", el: "Καλώς ήρθατε, {name}" },
  account: { en: "Account", el: "Λογαριασμός" },
  organization: { en: "Organization", el: "Οργανισμός" },
  none: { en: "No organization", el: "Χωρίς οργανισμό" },
  confined: {
    en: "Signed in through {organization}. For your account and your other organizations, confirm it is you.",
    el: "Συνδεθήκατε μέσω {organization}. Για τον λογαριασμό και τους άλλους οργανισμούς σας, επιβεβαιώστε ότι είστε εσείς.",
  },
  confinedNowhere: {
    en: "You are signed in through an organization whose sign-in has expired. Sign in again.",
    el: "Συνδεθήκατε μέσω οργανισμού, και η σύνδεση έληξε. Συνδεθείτε ξανά.",
  },
  confirmMe: { en: "Confirm it is you", el: "Επιβεβαιώστε ότι είστε εσείς" },
  suspendedNow: {
    en: "{name} is suspended. Nothing can be changed in it, and your session ends within minutes. Ask why under “My tickets”.",
    el: "Ο οργανισμός {name} είναι σε αναστολή. Τίποτα δεν αλλάζει σε αυτόν και η συνεδρία σας λήγει σε λίγα λεπτά. Ρωτήστε τον λόγο στα «Τα αιτήματά μου».",
  },
  notifications: { en: "Notifications", el: "Ειδοποιήσεις" },
  unreadCount: { en: "Notifications, {count} unread", el: "Ειδοποιήσεις, {count} μη αναγνωσμένες" },
  noNotifications: { en: "No notifications yet", el: "Δεν υπάρχουν ειδοποιήσεις ακόμη" },
  unread: { en: "Unread", el: "Μη αναγνωσμένες" },
  interrupted: {
    en: "Connection lost. The page may be out of date. Reconnecting…",
    el: "Η σύνδεση διακόπηκε. Όσα βλέπετε ίσως έχουν αλλάξει· νέα προσπάθεια…",
  },
  offline: {
    en: "You are offline. The page may be out of date.",
    el: "Είστε εκτός σύνδεσης. Όσα βλέπετε ίσως έχουν αλλάξει.",
  },
  palette: { en: "Find anything", el: "Αναζήτηση παντού" },
  work: { en: "Work", el: "Εργασία" },
  people: { en: "People", el: "Άτομα" },
  platform: { en: "Platform", el: "Πλατφόρμα" },
});
