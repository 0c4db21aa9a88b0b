export const errorPageTexts = {
  notFound: "Δεν υπάρχει τέτοια σελίδα",
  notFoundAbout: "Ο σύνδεσμος ίσως είναι παλιός ή γράφτηκε λάθος.",
  toHome: "Στην αρχική σελίδα",
  broken: "Η σελίδα δεν μπόρεσε να εμφανιστεί",
  reload: "Φόρτωση ξανά",
} as const;
