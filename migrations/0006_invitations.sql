-- Invitations of an email address into an organization, by single-use link.

CREATE TABLE user_invitations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  email text NOT NULL,
  language language NOT NULL,
  -- SHA-256 of the token in the link. The token itself is never stored.
  token_hash text NOT NULL CONSTRAINT user_invitations_token_hash_unique UNIQUE,
  expires_at timestamptz(3) NOT NULL,
  last_sent_at timestamptz(3) NOT NULL DEFAULT now(),
  accepted_at timestamptz(3),
  accepted_user_id uuid REFERENCES users (id),
  -- No foreign key: the inviter may be deleted.
  invited_by_id uuid NOT NULL,
  -- Revoked, or superseded by a later one.
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- At most one pending for an organization and an email, by the organization's lock: old ones stay as history.
CREATE INDEX user_invitations_pending ON user_invitations (organization_id, created_at, id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_email ON user_invitations (organization_id, (email COLLATE "C"), id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_pending_inviter ON user_invitations (invited_by_id, organization_id)
  WHERE accepted_at IS NULL AND NOT is_deleted;
CREATE INDEX user_invitations_search ON user_invitations USING gin (search_fold(email) gin_trgm_ops)
  WHERE accepted_at IS NULL AND NOT is_deleted;

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

-- Each mail that went out, for the hourly limit of an organization. Cleaned daily.
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

-- What is neither accepted nor revoked. It works until it expires, and only while its inviter acts for the
-- organization: as a platform administrator, or as a live member.
CREATE VIEW pending_invitations AS
SELECT i.*, inviter.email AS inviter_email,
  i.expires_at > now() AND inviter.id IS NOT NULL AND (inviter.is_platform_admin OR EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = inviter.id AND m.organization_id = i.organization_id AND NOT m.is_deleted)) AS is_working
FROM user_invitations i LEFT JOIN users inviter ON inviter.id = i.invited_by_id AND NOT inviter.is_deleted
WHERE i.accepted_at IS NULL AND NOT i.is_deleted;
