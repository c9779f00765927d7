-- Words of names, by which records are found.

-- A row is a word of a name or an external id, by which a deal, a facility or a contract is found.
CREATE TABLE deal_word (
  deal_key bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  -- 0: of the deal itself; with a contract, of the contract.
  facility_key bigint NOT NULL, contract_key bigint NOT NULL,
  -- Of an external id, which has no dates.
  is_external boolean NOT NULL,
  PRIMARY KEY (deal_key, word, facility_key, contract_key, is_external)
);

-- A row is a word of a name or an external id, by which a party is found.
CREATE TABLE party_word (
  party_key bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  is_external boolean NOT NULL,
  PRIMARY KEY (party_key, word, is_external)
);

-- A name without accents, case and punctuation. Most names are plain ASCII, whose accents and case need no
-- Unicode. Not STRICT: the server then writes it into a query.
CREATE FUNCTION folded(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(name) = length(name)
    THEN btrim(regexp_replace(lower(name COLLATE "C"), '[^0-9a-z]+', ' ', 'g'))
    ELSE btrim(regexp_replace(translate(
      replace(replace(replace(replace(replace(replace(replace(replace(
        lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') COLLATE "C"),
        'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th'),
      'ØøŁłĐđÐðĦħıΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩ' || 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ',
      'oollddddhhiαβγδεζηθικλμνξοπρσστυφχψω' || 'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+',
      ' ', 'g'))
    END
$$;

-- The words of a name.
CREATE FUNCTION words_of(name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT ROWS 4 AS $$
  -- An index takes no word of any length; whoever types so much has found it.
  SELECT DISTINCT left(unnest(string_to_array(folded(name), ' ')), 200)
$$;

-- What is searched for, the longest word first: it leaves the fewest deals.
CREATE FUNCTION searched_words(search text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT coalesce(array_agg(word ORDER BY length(word) DESC, word COLLATE "C"), '{}')
  FROM words_of(search) AS word
$$;

-- Words of names: taken apart within the statement, and not by a call for each name; in the order of the key; and
-- without a look for what is there already where the records are new.
CREATE FUNCTION keep_words() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'deal' THEN
      INSERT INTO deal_word
      SELECT DISTINCT n.key, left(w, 200) COLLATE "C" AS word, 0, 0, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name || ' ' || n.deal_number), ' ')) w
      ORDER BY n.key, word;
    WHEN 'facility' THEN
      INSERT INTO deal_word
      SELECT DISTINCT n.deal_key, left(w, 200) COLLATE "C" AS word, n.key, 0, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name), ' ')) w
      ORDER BY n.deal_key, word, n.key;
    WHEN 'party' THEN
      INSERT INTO party_word
      SELECT DISTINCT n.key, left(w, 200) COLLATE "C" AS word, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name), ' ')) w
      ORDER BY n.key, word;
    WHEN 'deal_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, 0, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'facility_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, n.facility_key, 0, false
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
  INSERT INTO deal_word
  SELECT DISTINCT r.deal_key, left(w, 200) COLLATE "C" AS word, r.facility_key, r.contract_key, true
  FROM inserted n CROSS JOIN LATERAL (
    SELECT key AS deal_key, 0::bigint AS facility_key, 0::bigint AS contract_key
    FROM deal WHERE id = n.entity_id
    UNION ALL SELECT deal_key, key, 0 FROM facility WHERE id = n.entity_id
    UNION ALL SELECT deal_key, facility_key, key FROM loan_contract WHERE id = n.entity_id
    OFFSET 0) r
  CROSS JOIN unnest(string_to_array(folded(n.value), ' ')) w
  ORDER BY r.deal_key, word ON CONFLICT DO NOTHING;
  INSERT INTO party_word
  SELECT DISTINCT r.key, left(w, 200) COLLATE "C" AS word, true
  FROM inserted n CROSS JOIN LATERAL (SELECT key FROM party WHERE id = n.entity_id OFFSET 0) r
  CROSS JOIN unnest(string_to_array(folded(n.value), ' ')) w
  ORDER BY r.key, word ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE INDEX deal_word_word ON deal_word (word, deal_key);
CREATE INDEX party_word_word ON party_word (word, party_key);
