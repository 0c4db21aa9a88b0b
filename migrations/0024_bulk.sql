-- Counts the invitation mails of an organization that wait (rules 23.7).
CREATE INDEX user_invitation_sends_waiting ON user_invitation_sends (organization_id) WHERE waits;
