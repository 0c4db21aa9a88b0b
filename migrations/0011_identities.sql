-- Third-party sign-in: whom an OpenID provider says that somebody is.

CREATE TABLE user_identities (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  -- The key of the provider in the configuration when it was linked; routes name an identity by it.
  provider text NOT NULL,
  -- What the provider guarantees to be one person for ever. Emails change hands, so none is looked up by.
  issuer text NOT NULL,
  subject text NOT NULL,
  -- As the provider said when it was linked, for its owner to read; null where it said none.
  email text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_of_one_account UNIQUE (issuer, subject),
  CONSTRAINT user_identities_one_of_a_provider UNIQUE (user_id, provider)
);
