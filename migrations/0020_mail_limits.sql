-- How many mails one address gets, beside how many one organization sends. Null: sent before addresses were counted.
ALTER TABLE user_invitation_sends ADD COLUMN email text COLLATE "C";

CREATE INDEX user_invitation_sends_address ON user_invitation_sends (email, sent_at) INCLUDE (organization_id)
  WHERE email IS NOT NULL;

-- Each mail that went out to the reporter of a ticket, for the hourly limit of a ticket. Cleaned daily.
CREATE TABLE ticket_mails (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  sent_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_mails_recent ON ticket_mails (ticket_id, sent_at);
CREATE INDEX ticket_mails_age ON ticket_mails (sent_at);
