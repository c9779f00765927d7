-- Who used a command-line tool. Events of the service have an address or a client instead.
ALTER TABLE audit_event ADD COLUMN actor text;
