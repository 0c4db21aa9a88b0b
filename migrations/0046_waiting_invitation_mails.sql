-- Beyond 20 mails a day to an address the mail of an invitation waits (rules 23.7). An instance of the version before inserts
-- what the defaults say: sent at once.

ALTER TABLE user_invitation_sends
  -- When the mail was or will be sent. Null if it will not be sent, because a later invitation has taken its place.
  ADD COLUMN mail_at timestamptz(3),
  -- Whether it still has to be sent then.
  ADD COLUMN waits boolean NOT NULL DEFAULT false;
UPDATE user_invitation_sends SET mail_at = sent_at;
ALTER TABLE user_invitation_sends ALTER COLUMN mail_at SET DEFAULT now();
CREATE INDEX user_invitation_sends_mail ON user_invitation_sends (email, mail_at) INCLUDE (organization_id)
  WHERE email IS NOT NULL AND mail_at IS NOT NULL;
CREATE INDEX user_invitation_sends_due ON user_invitation_sends (mail_at) WHERE waits;
