-- The journals of a day in posting order: a page of movements of a period begins with its first one.

CREATE INDEX journal_effective_seq ON journal (effective_date, seq);
DROP INDEX journal_effective;
