-- Deals are found by words of their names. Every word that a deal, its facilities or a party ever had
-- in a name, and of what they are called elsewhere, is kept; a page looks the names up as they were
-- at its two times. See ADR 41.

-- A name as words between single spaces: without accents and case, so that the same letters are typed.
-- It is the same on every server: no locale and no extension has a part in it.
CREATE FUNCTION folded(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT btrim(regexp_replace(translate(
    replace(replace(replace(replace(replace(replace(replace(replace(
      lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') COLLATE "C"),
      'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th'),
    'ØøŁłĐđÐðĦħıΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩ'
      || 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ',
    'oollddddhhiαβγδεζηθικλμνξοπρσστυφχψω'
      || 'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+',
    ' ', 'g'))
$$;
CREATE FUNCTION words_of(name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT ROWS 4 AS $$
  -- An index takes no word of any length; whoever types so much has found it.
  SELECT DISTINCT left(unnest(string_to_array(folded(name), ' ')), 200)
$$;
-- What is searched for, the longest word first: it leaves the fewest deals.
CREATE FUNCTION searched_words(search text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT coalesce(array_agg(word ORDER BY length(word) DESC, word COLLATE "C"), '{}')
  FROM words_of(search) AS word
$$;

CREATE TABLE deal_word (
  deal_key bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  -- 0: of the deal itself; with a contract, of the contract.
  facility_key bigint NOT NULL,
  contract_key bigint NOT NULL,
  -- Of an external id, which has no dates.
  is_external boolean NOT NULL,
  PRIMARY KEY (deal_key, word, facility_key, contract_key, is_external)
);
CREATE INDEX deal_word_word ON deal_word (word, deal_key);
CREATE TABLE party_word (
  party_key bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  is_external boolean NOT NULL,
  PRIMARY KEY (party_key, word, is_external)
);
CREATE INDEX party_word_word ON party_word (word, party_key);

CREATE FUNCTION keep_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'deal' THEN
      INSERT INTO deal_word SELECT DISTINCT n.key, w, 0, 0, false
      FROM inserted n CROSS JOIN words_of(n.name || ' ' || n.deal_number) w
      ON CONFLICT DO NOTHING;
    WHEN 'deal_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, 0, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'facility' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, n.key, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'facility_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, n.facility_key, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'party' THEN
      INSERT INTO party_word SELECT DISTINCT n.key, w, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'party_details' THEN
      INSERT INTO party_word SELECT DISTINCT n.party_key, w, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
  END CASE;
  RETURN NULL;
END $$;

-- Records are there before they are named, or come with the same statement.
CREATE FUNCTION keep_external_words() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO deal_word SELECT DISTINCT r.deal_key, w, r.facility_key, r.contract_key, true
  FROM inserted n CROSS JOIN LATERAL (
    SELECT key AS deal_key, 0::bigint AS facility_key, 0::bigint AS contract_key
    FROM deal WHERE id = n.entity_id
    UNION ALL SELECT deal_key, key, 0 FROM facility WHERE id = n.entity_id
    UNION ALL SELECT deal_key, facility_key, key FROM loan_contract WHERE id = n.entity_id
    OFFSET 0) r
  CROSS JOIN words_of(n.value) w ON CONFLICT DO NOTHING;
  INSERT INTO party_word SELECT DISTINCT r.key, w, true
  FROM inserted n CROSS JOIN LATERAL (SELECT key FROM party WHERE id = n.entity_id OFFSET 0) r
  CROSS JOIN words_of(n.value) w ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Books from before.
INSERT INTO deal_word
SELECT DISTINCT key, w, 0, 0, false FROM deal CROSS JOIN words_of(name || ' ' || deal_number) w
UNION SELECT deal_key, w, 0, 0, false FROM deal_details CROSS JOIN words_of(name) w
UNION SELECT deal_key, w, key, 0, false FROM facility CROSS JOIN words_of(name) w
UNION SELECT deal_key, w, facility_key, 0, false FROM facility_details CROSS JOIN words_of(name) w
UNION SELECT r.key, w, 0, 0, true
FROM external_id x JOIN deal r ON r.id = x.entity_id CROSS JOIN words_of(x.value) w
UNION SELECT r.deal_key, w, r.key, 0, true
FROM external_id x JOIN facility r ON r.id = x.entity_id CROSS JOIN words_of(x.value) w
UNION SELECT r.deal_key, w, r.facility_key, r.key, true
FROM external_id x JOIN loan_contract r ON r.id = x.entity_id CROSS JOIN words_of(x.value) w;
INSERT INTO party_word
SELECT DISTINCT key, w, false FROM party CROSS JOIN words_of(name) w
UNION SELECT party_key, w, false FROM party_details CROSS JOIN words_of(name) w
UNION SELECT r.key, w, true
FROM external_id x JOIN party r ON r.id = x.entity_id CROSS JOIN words_of(x.value) w;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal', 'deal_details', 'facility', 'facility_details', 'party',
    'party_details'] LOOP
    EXECUTE format('CREATE TRIGGER keep_words AFTER INSERT ON %I REFERENCING NEW TABLE AS inserted
      FOR EACH STATEMENT EXECUTE FUNCTION keep_words()', name);
  END LOOP;
  CREATE TRIGGER keep_words AFTER INSERT ON external_id REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION keep_external_words();
  FOREACH name IN ARRAY ARRAY['deal_word', 'party_word'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    EXECUTE format('CREATE TRIGGER only_from_names BEFORE INSERT ON %I
      FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;

-- A reader finds the words of the deals that it sees, and of the parties in them.
CREATE POLICY reader ON deal_word FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR (SELECT EXISTS (SELECT FROM entitlement_rule r
    WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals))
  OR EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true)
      AND e.deal_key = deal_word.deal_key OFFSET 0));
CREATE POLICY reader ON party_word FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on' OR sees_party(party_key));
