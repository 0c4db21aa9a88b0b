-- Invitations of an email address into an organization, by single-use link.

CREATE TABLE user_invitations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  email text NOT NULL,
  -- The email as lists search it, maintained by the trigger below.
  search_email text NOT NULL DEFAULT '',
  language language NOT NULL,
  -- SHA-256 of the token in the link. The token itself is never stored.
  token_hash text NOT NULL CONSTRAINT user_invitations_token_hash_unique UNIQUE,
  expires_at timestamptz(3) NOT NULL,
  last_sent_at timestamptz(3) NOT NULL DEFAULT now(),
  accepted_at timestamptz(3),
  accepted_user_id uuid REFERENCES users (id),
  -- The inviter: a user or a service account. No foreign key for the user, who may be deleted.
  invited_by_id uuid,
  invited_by_account_id uuid REFERENCES service_accounts (id),
  -- The times in which the invitation was pending without a seat: between its expiry and the next mail, and while its service account was
  -- disabled. The usage of seats on earlier days is computed from it.
  without_seat tstzmultirange NOT NULL DEFAULT '{}',
  -- Revoked, or superseded by a later one.
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_invitations_one_inviter CHECK (num_nonnulls(invited_by_id, invited_by_account_id) = 1)
);

-- The lock of the organization ensures that an email has at most one pending invitation into it. Earlier ones stay as history.
CREATE INDEX user_invitations_pending ON user_invitations (organization_id, created_at, id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_email ON user_invitations (organization_id, (email COLLATE "C"), id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_search ON user_invitations (organization_id, search_email, id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_inviter ON user_invitations (invited_by_id, organization_id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_account ON user_invitations (invited_by_account_id)
  WHERE invited_by_account_id IS NOT NULL AND accepted_at IS NULL AND NOT is_deleted;

-- Finds the invitations of an organization that recently had a seat.
CREATE INDEX user_invitations_recent ON user_invitations (organization_id, expires_at);

CREATE FUNCTION user_invitations_fold_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_email := search_fold(NEW.email);
  RETURN NEW;
END $$;

CREATE TRIGGER user_invitations_fold_email BEFORE INSERT OR UPDATE OF email ON user_invitations
FOR EACH ROW EXECUTE FUNCTION user_invitations_fold_email();

CREATE TABLE user_invitation_assignments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  invitation_id uuid NOT NULL REFERENCES user_invitations (id),
  role_id uuid NOT NULL REFERENCES roles (id),
  -- Null: the whole organization.
  unit_id uuid REFERENCES units (id),
  CONSTRAINT user_invitation_assignments_unique UNIQUE NULLS NOT DISTINCT (invitation_id, role_id, unit_id)
);

CREATE INDEX user_invitation_assignments_role ON user_invitation_assignments (role_id);
CREATE INDEX user_invitation_assignments_unit ON user_invitation_assignments (unit_id) WHERE unit_id IS NOT NULL;

-- One row for each mail, for the hourly limit of an organization. Old rows are deleted daily.
CREATE TABLE user_invitation_sends (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  sent_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null once the account of this email has a pseudonym.
  email text COLLATE "C",
  -- When the mail was or will be sent (rules 23.7). Null if it will not be sent, because a later invitation replaced it.
  mail_at timestamptz(3) DEFAULT now(),
  -- Whether the mail still has to be sent at that time.
  waits boolean NOT NULL DEFAULT false
);

CREATE INDEX user_invitation_sends_recent ON user_invitation_sends (organization_id, sent_at);
CREATE INDEX user_invitation_sends_age ON user_invitation_sends (sent_at);
CREATE INDEX user_invitation_sends_address ON user_invitation_sends (email, sent_at) INCLUDE (organization_id)
  WHERE email IS NOT NULL;
CREATE INDEX user_invitation_sends_mail ON user_invitation_sends (email, mail_at) INCLUDE (organization_id)
  WHERE email IS NOT NULL AND mail_at IS NOT NULL;
CREATE INDEX user_invitation_sends_due ON user_invitation_sends (mail_at) WHERE waits;

-- Invitations that are neither accepted nor revoked. `is_valid`: the invitation has not expired, and its inviter still belongs to the
-- organization, as a platform administrator, a live member or a service account. A valid invitation occupies a seat, and its roles and
-- units are in use. `is_usable`: the invitation can be accepted now. A disabled service account suspends its invitations: they stay
-- valid but are not usable, so their seats, roles and units are not given to others meanwhile.
CREATE VIEW pending_invitations AS
SELECT pending.*, pending.is_valid AND (pending.invited_by_account_id IS NULL OR pending.is_account_enabled AND EXISTS (
    SELECT FROM user_invitation_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.invitation_id = pending.id AND u.is_deleted IS NOT TRUE)) AS is_usable
FROM (
  SELECT i.*, inviter.email AS inviter_email, account.name AS inviter_account_name, account.is_enabled AS is_account_enabled,
    i.expires_at > now() AND (account.id IS NOT NULL OR (inviter.id IS NOT NULL AND (inviter.is_platform_admin OR EXISTS (
      SELECT FROM memberships m
      WHERE m.user_id = inviter.id AND m.organization_id = i.organization_id AND NOT m.is_deleted)))) AS is_valid
  FROM user_invitations i LEFT JOIN users inviter ON inviter.id = i.invited_by_id AND NOT inviter.is_deleted
  LEFT JOIN service_accounts account ON account.id = i.invited_by_account_id AND NOT account.is_deleted
  WHERE i.accepted_at IS NULL AND NOT i.is_deleted
) pending;
