-- The build before registers applications without scopes. During a rolling upgrade such an application may
-- ask for `openid` alone, which gives no permission; `applications update --scope` allows more.
ALTER TABLE application ALTER COLUMN scopes SET DEFAULT '{openid}';
