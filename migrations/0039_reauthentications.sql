-- When a session last proved its identity again after its sign-in. Without a foreign key, because a session is several rows.

CREATE TABLE reauthentications (
  session_id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  reauthenticated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX reauthentications_time ON reauthentications (reauthenticated_at);
