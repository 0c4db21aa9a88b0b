/** Texts for violations of single fields; `violationText` selects one. */
export const violationTexts = {
  required: "Fill this in.",
  choose: "Choose one.",
  email: "Enter an email address.",
  atLeast: "At least {count} characters.",
  atMost: "At most {count} characters.",
  min: "At least {value}.",
  max: "At most {value}.",
  breached: "This password is known from a data breach. Choose another one.",
  blockedDomain: "Addresses of this domain are not accepted. Use another one.",
  ownDomain:
    "Enter a domain that your organization can prove, such as acme.com. Domains of mail services are not accepted.",
  tooStrong: "This role holds {permission}, which nobody gets like this.",
  future: "Choose a time in the future.",
  within: "At most {days} days ahead.",
  issuerUnreachable: "No OpenID provider answers at this address. Check it for typing errors.",
  issuerOther: "The provider names another issuer. Enter the issuer exactly as the provider writes it.",
  issuerOfMany: "This address stands for many organizations. Enter the issuer of yours, with its tenant id.",
  issuerForm: "Enter an address that begins with https://, without ? and #.",
  invalid: "This value is not accepted.",
} as const;
