-- Identifier of the external provider at which the person signed in before the code; null after a
-- password. The sign-in ends if that way is closed meanwhile.
ALTER TABLE pending_sign_ins ADD COLUMN issuer TEXT;
