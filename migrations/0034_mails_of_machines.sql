-- When members were last mailed about an endpoint or about the keys of a service account: at most once an hour, so that a
-- receiver or a caller cannot make the service send mails without end.
ALTER TABLE webhook_endpoints ADD COLUMN mailed_at timestamptz(3);
ALTER TABLE service_accounts ADD COLUMN mailed_at timestamptz(3);
