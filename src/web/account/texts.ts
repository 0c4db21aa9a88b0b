import { dictionary } from "../lib/i18n.tsx";
import { signInTexts } from "./sign-in-texts.ts";

/** Texts of the pages for whoever is not signed in. */
export const accountTexts = dictionary(
  {
    ...signInTexts.en,
    newPassword: "New password",
    passwordHint: "At least 10 characters. A few unrelated words are easy to remember.",
    firstName: "First name",
    lastName: "Last name",
    haveAccount: "Do you have an account?",
    organization: "Organization",
    organizationHint: "To found one of your own. Leave it empty if somebody invites you.",
    mailSent: "Check your mail",
    mailSentAbout: (email: string) =>
      `We sent a link to ${email}. Open it to confirm your address, then sign in. The link works for 24 hours.`,
    unverified: "Your address is not confirmed yet. Open the link that we sent you.",
    toSignIn: "Go to sign in",
    confirming: "Confirming your address",
    dead: "This link does not work any more",
    deadVerify:
      "Links work once, within 24 hours. If you have confirmed your address already, just sign in. Otherwise enter it, and we send a new link.",
    forgotTitle: "Choose a new password",
    forgotAbout: "Enter your address, and we send you a link to choose a new password.",
    sendLink: "Send the link",
    forgotSent: (email: string) =>
      `If there is an account with the address ${email}, a link is on its way. It works for one hour.`,
    resetAbout: "You will be signed out everywhere else.",
    save: "Save the password",
    deadReset: "Links to choose a password work once, within one hour.",
    anotherLink: "Ask for another link",
    invited: (organization: string) => `Join ${organization}`,
    invitation: "Invitation",
    invitedNew: (email: string) => `The invitation is for ${email}. Create your account to accept it.`,
    invitedOld: (email: string) =>
      `The invitation is for ${email}, who has an account. Sign in to accept it.`,
    invitedYou: (email: string) => `You are signed in as ${email}.`,
    invitedOther: (email: string, me: string) =>
      `The invitation is for ${email}, but you are signed in as ${me}. Sign out to go on.`,
    expires: (date: string) => `The link works until ${date}.`,
    accept: "Accept the invitation",
    createAndJoin: "Create the account and join",
    signInToAccept: "Sign in to accept",
    signOutToGoOn: "Sign out and go on",
    deadInvitation:
      "It may have expired, been used already, been withdrawn, or been replaced by a newer mail. Ask whoever invited you to invite you again.",
    unavailable: "The account with this address was deleted. Ask to be invited by another address.",
    alreadyMember: "You are a member of this organization already.",
    suspendedInvitation: "The organization is suspended at the moment. Try the link again later.",
    toHome: "Go to the home page",
    callback: "Sign-in by another service",
    oneMoment: "One moment",
    notSignedIn: "That did not work",
    back: "Back",
    notices: "Notice",
    setUpFirst: "Protect your account",
    setUpFirstAbout: "Your account needs a second factor before you can go on.",
    signOut: "Sign out",
  },
  {
    ...signInTexts.el,
    newPassword: "Νέος κωδικός πρόσβασης",
    passwordHint: "Τουλάχιστον 10 χαρακτήρες. Λίγες άσχετες λέξεις απομνημονεύονται εύκολα.",
    firstName: "Όνομα",
    lastName: "Επώνυμο",
    haveAccount: "Έχετε λογαριασμό;",
    organization: "Οργανισμός",
    organizationHint: "Για να ιδρύσετε δικό σας. Αφήστε το κενό αν σας προσκαλεί κάποιος.",
    mailSent: "Δείτε τα email σας",
    mailSentAbout: (email) =>
      `Στείλαμε έναν σύνδεσμο στο ${email}. Ανοίξτε τον για να επιβεβαιώσετε τη διεύθυνσή σας και μετά συνδεθείτε. Ο σύνδεσμος ισχύει 24 ώρες.`,
    unverified: "Η διεύθυνσή σας δεν έχει επιβεβαιωθεί ακόμη. Ανοίξτε τον σύνδεσμο που σας στείλαμε.",
    toSignIn: "Στη σύνδεση",
    confirming: "Επιβεβαίωση της διεύθυνσης",
    dead: "Αυτός ο σύνδεσμος δεν ισχύει πια",
    deadVerify:
      "Οι σύνδεσμοι ισχύουν μία φορά, εντός 24 ωρών. Αν έχετε ήδη επιβεβαιώσει τη διεύθυνσή σας, απλώς συνδεθείτε. Αλλιώς γράψτε τη και σας στέλνουμε νέο σύνδεσμο.",
    forgotTitle: "Νέος κωδικός πρόσβασης",
    forgotAbout: "Γράψτε τη διεύθυνσή σας και σας στέλνουμε σύνδεσμο για νέο κωδικό.",
    sendLink: "Αποστολή συνδέσμου",
    forgotSent: (email) =>
      `Αν υπάρχει λογαριασμός με τη διεύθυνση ${email}, ένας σύνδεσμος είναι στον δρόμο. Ισχύει μία ώρα.`,
    resetAbout: "Θα αποσυνδεθείτε από παντού αλλού.",
    save: "Αποθήκευση του κωδικού",
    deadReset: "Οι σύνδεσμοι για νέο κωδικό ισχύουν μία φορά, εντός μίας ώρας.",
    anotherLink: "Αίτημα για νέο σύνδεσμο",
    invited: (organization) => `Συμμετοχή στον οργανισμό ${organization}`,
    invitation: "Πρόσκληση",
    invitedNew: (email) => `Η πρόσκληση είναι για ${email}. Δημιουργήστε λογαριασμό για να την αποδεχτείτε.`,
    invitedOld: (email) =>
      `Η πρόσκληση είναι για ${email}, που έχει λογαριασμό. Συνδεθείτε για να την αποδεχτείτε.`,
    invitedYou: (email) => `Έχετε συνδεθεί ως ${email}.`,
    invitedOther: (email, me) =>
      `Η πρόσκληση είναι για ${email}, αλλά έχετε συνδεθεί ως ${me}. Αποσυνδεθείτε για να συνεχίσετε.`,
    expires: (date) => `Ο σύνδεσμος ισχύει μέχρι ${date}.`,
    accept: "Αποδοχή της πρόσκλησης",
    createAndJoin: "Δημιουργία λογαριασμού και συμμετοχή",
    signInToAccept: "Σύνδεση για αποδοχή",
    signOutToGoOn: "Αποσύνδεση και συνέχεια",
    deadInvitation:
      "Μπορεί να έληξε, να χρησιμοποιήθηκε ήδη, να ανακλήθηκε ή να αντικαταστάθηκε από νεότερο μήνυμα. Ζητήστε από όποιον σας προσκάλεσε νέα πρόσκληση.",
    unavailable: "Ο λογαριασμός με αυτή τη διεύθυνση διαγράφηκε. Ζητήστε πρόσκληση σε άλλη διεύθυνση.",
    alreadyMember: "Είστε ήδη μέλος αυτού του οργανισμού.",
    suspendedInvitation: "Ο οργανισμός είναι προς το παρόν σε αναστολή. Δοκιμάστε τον σύνδεσμο αργότερα.",
    toHome: "Στην αρχική σελίδα",
    callback: "Σύνδεση μέσω άλλης υπηρεσίας",
    oneMoment: "Μια στιγμή",
    notSignedIn: "Δεν έγινε",
    back: "Πίσω",
    notices: "Ειδοποίηση",
    setUpFirst: "Προστατέψτε τον λογαριασμό σας",
    setUpFirstAbout: "Ο λογαριασμός σας χρειάζεται δεύτερο παράγοντα για να συνεχίσετε.",
    signOut: "Αποσύνδεση",
  },
);

/** Why a sign-in by another service failed, by the code that it comes back with. */
export const callbackTexts = dictionary(
  {
    ACCESS_DENIED: "You did not allow it at the other service.",
    INVALID_STATE: "It took too long, or began in another browser. Try again.",
    EMAIL_NOT_VERIFIED: "The other service has not confirmed your email address.",
    ACCOUNT_EXISTS:
      "There is an account with your email address. Sign in with your password, then add the other service in your profile.",
    EMAIL_UNAVAILABLE: "The account with this email address was deleted.",
    IDENTITY_IN_USE: "That account of the other service belongs to somebody else here.",
    PROVIDER_ERROR: "The other service did not answer as expected. Try again later.",
    TOO_MANY_REQUESTS: "These were too many attempts. Wait a minute and try again.",
    UNKNOWN: "The sign-in did not succeed. Try again.",
  },
  {
    ACCESS_DENIED: "Δεν το επιτρέψατε στην άλλη υπηρεσία.",
    INVALID_STATE: "Πέρασε πολλή ώρα ή ξεκίνησε σε άλλο πρόγραμμα περιήγησης. Δοκιμάστε πάλι.",
    EMAIL_NOT_VERIFIED: "Η άλλη υπηρεσία δεν έχει επιβεβαιώσει τη διεύθυνση email σας.",
    ACCOUNT_EXISTS:
      "Υπάρχει λογαριασμός με τη διεύθυνση email σας. Συνδεθείτε με τον κωδικό σας και προσθέστε την άλλη υπηρεσία στο προφίλ σας.",
    EMAIL_UNAVAILABLE: "Ο λογαριασμός με αυτή τη διεύθυνση email διαγράφηκε.",
    IDENTITY_IN_USE: "Αυτός ο λογαριασμός της άλλης υπηρεσίας ανήκει σε κάποιον άλλον εδώ.",
    PROVIDER_ERROR: "Η άλλη υπηρεσία δεν απάντησε όπως έπρεπε. Δοκιμάστε αργότερα.",
    TOO_MANY_REQUESTS: "Έγιναν πάρα πολλές προσπάθειες. Περιμένετε ένα λεπτό και δοκιμάστε πάλι.",
    UNKNOWN: "Η σύνδεση δεν πέτυχε. Δοκιμάστε πάλι.",
  },
);
