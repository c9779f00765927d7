-- Triggers: what runs after an insert, and what is the same on many tables and functions.

-- What runs after rows were added, once for a statement: calls, where the trigger has another name after that name.
DO $$
DECLARE of_table text; calls text[]; call text;
BEGIN
  FOR of_table, calls IN VALUES
    ('party', $c${check_chained('booked_seq'), keep_words()}$c$),
    ('deal', $c${check_chained('booked_seq'), grant_new_deals(), keep_words()}$c$),
    ('facility', $c${check_chained('booked_seq'), check_sublimits(), keep_labels('facility'), keep_words()}$c$),
    ('loan_contract', $c${check_chained('booked_seq'), keep_labels('contract')}$c$),
    ('lender_position', $c${check_chained('booked_seq'), check_positions(), keep_labels('position')}$c$),
    ('external_id', $c${keep_words: keep_external_words()}$c$),
    ('journal', $c${check_journal_references(), check_journals(), extend_standing(), note_late_terms(),
      note_reversed_rates()}$c$),
    ('journal_standing', $c${grant_by_standing()}$c$),
    ('balance_line', $c${check_line_references(), check_sublimit_lines()}$c$),
    ('posting', $c${check_postings(), check_sublimit_shares(), extend_balances(), note_late_postings()}$c$),
    ('deal_terms', $c${check_chained('known_seq')}$c$),
    ('facility_terms', $c${check_chained('known_seq'), keep_labels: keep_facility_maturities(),
      note_late_terms()}$c$),
    ('contract_terms', $c${check_chained('known_seq'), keep_labels: keep_contract_maturities()}$c$),
    ('deal_details', $c${check_chained('known_seq'), grant_by_details(), keep_labels: keep_borrowers(),
      keep_words()}$c$),
    ('facility_details', $c${check_chained('known_seq'), keep_labels: keep_facility_names(), keep_words()}$c$),
    ('party_details', $c${check_chained('known_seq'), keep_labels: keep_borrower_names(), keep_words()}$c$),
    ('rate_period', $c${check_chained('known_seq'), note_late_rates()}$c$),
    ('accrual_settlement', $c${check_chained('known_seq'), note_facts_after_bills(), note_late_terms()}$c$),
    ('entitlement_rule', $c${grant_deals()}$c$)
  LOOP
    FOREACH call IN ARRAY calls LOOP
      EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS inserted
        FOR EACH STATEMENT EXECUTE FUNCTION %s', substring(call FROM '^\w+'), of_table,
        regexp_replace(call, '^\w+: ', ''));
    END LOOP;
  END LOOP;
END $$;

-- Rows are added, and none is changed.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{accrual_settlement,balance,balance_line,book_date,book_total,contract_terms,
    deal_details,deal_terms,deal_word,facility_details,facility_terms,fx_rate,item_life,journal,journal_hash,
    journal_standing,late_accrual_fact,party_details,party_word,period_close,posting,presence,rate_period,
    reported_date,sort_amount,sort_label}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;

-- What follows from journals is written by their triggers, and by nobody else.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{book_date,book_total,item_life,journal_hash,journal_standing,presence,
    sort_amount,sort_label}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER only_from_journals BEFORE INSERT ON %I
      FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;

CREATE TRIGGER only_from_postings BEFORE INSERT ON balance
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
-- So are words, from names.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{deal_word,party_word}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER only_from_names BEFORE INSERT ON %I
      FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;

CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON party
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON deal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER records_stay BEFORE UPDATE OF key, deal_key, currency OR DELETE OR TRUNCATE ON facility
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON import_batch
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

-- What changes answers does so under the journal lock, and is a generation of the book. Journals take the lock
-- before they are posted.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{deal,entitlement_rule,external_id,facility,fx_rate,journal,lender_position,
    loan_contract,period_close}'::text[] LOOP
    IF name <> 'journal' THEN
      EXECUTE format('CREATE TRIGGER begin_change BEFORE INSERT OR UPDATE OR DELETE ON %I
        FOR EACH STATEMENT EXECUTE FUNCTION begin_change()', name);
    END IF;
    EXECUTE format('CREATE TRIGGER end_change AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION end_change()', name);
  END LOOP;
END $$;

-- Who calls a function that has its owner's rights cannot put other tables in front. pg_catalog comes first by
-- itself.
DO $$
DECLARE function regprocedure;
BEGIN
  FOREACH function IN ARRAY '{grant_again(bigint[]), make_read_log_days(), drop_read_log_days(integer),
    "sublimit_available(bigint, date, bigint)"}'::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', function, current_schema());
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION make_read_log_days(), drop_read_log_days(integer) FROM PUBLIC;
