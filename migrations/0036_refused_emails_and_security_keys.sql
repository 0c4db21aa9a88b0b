-- Refused requests of a change of email count among the five a day of a user (rules 35.1).
ALTER TABLE failed_attempts DROP CONSTRAINT failed_attempts_place_known;
ALTER TABLE failed_attempts ADD CONSTRAINT failed_attempts_place_known CHECK (place IN ('SIGN_IN', 'PROFILE', 'EMAIL_CHANGE'));

-- Whether a passkey signs in without an email and a password. A security key that did not verify the user, or that
-- stores no credential, is only a second factor (rules 34.13).
ALTER TABLE passkeys ADD COLUMN signs_in boolean NOT NULL DEFAULT true;
