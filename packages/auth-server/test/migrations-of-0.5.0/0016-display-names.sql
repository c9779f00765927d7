-- What a person is called, for applications that ask for the scope `profile`. Those that were registered
-- before could send that scope, and it was ignored: it must not be refused now.
ALTER TABLE account ADD COLUMN display_name text CHECK (length(display_name) BETWEEN 1 AND 100);
UPDATE application SET scopes = scopes || '{profile}' WHERE 'openid' = ANY (scopes);
