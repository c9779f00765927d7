import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { faultsOf } from '../migration-rules.mjs';

const REFUSED = {
  'a dropped table': 'DROP TABLE customer;',
  'a dropped column': 'ALTER TABLE customer DROP COLUMN name;',
  'a dropped column without the word': 'ALTER TABLE customer DROP name;',
  'a renamed column': 'ALTER TABLE customer RENAME COLUMN name TO title;',
  'a renamed table': 'ALTER TABLE customer RENAME TO client;',
  'another type': 'ALTER TABLE customer ALTER COLUMN name TYPE varchar(50);',
  'a value that becomes required': 'ALTER TABLE customer ALTER name SET NOT NULL;',
  'a default that goes': 'ALTER TABLE customer ALTER name DROP DEFAULT;',
  'a required column without a default':
    'ALTER TABLE customer ADD COLUMN a text, ADD COLUMN b int NOT NULL;',
  'a required column behind a check':
    'ALTER TABLE customer ADD COLUMN b int CHECK (b IN (1, 2)) NOT NULL;',
  'a unique index': 'CREATE UNIQUE INDEX once ON customer (name);',
  'a constraint that is checked at once':
    'ALTER TABLE customer ADD CONSTRAINT named CHECK (name <> $$$$);',
  'an index on a table with rows': 'CREATE INDEX by_name ON customer (name);',
  'an update of rows': "UPDATE customer SET name = 'a;b';",
  'a drop in a DO block': 'DO $$ BEGIN IF true THEN DROP TABLE customer; END IF; END $$;',
  'a drop in a text that a DO block runs': "DO $$ BEGIN EXECUTE 'DROP TABLE customer'; END $$;",
  'a right that is taken': 'REVOKE SELECT ON customer FROM cls_auth_service;',
};
const ALLOWED = {
  'a column that may be empty': 'ALTER TABLE customer ADD COLUMN note text;',
  'a required column with a default': 'ALTER TABLE customer ADD COLUMN n int NOT NULL DEFAULT 0;',
  'a new table with its index':
    'CREATE TABLE note (id int NOT NULL); CREATE UNIQUE INDEX one ON note (id);',
  'a constraint that is checked later':
    'ALTER TABLE customer ADD CONSTRAINT n CHECK (name <> $$$$) NOT VALID;',
  'a constraint that goes': 'ALTER TABLE customer DROP CONSTRAINT customer_name_check;',
  'words of a drop in a comment and in a string':
    "-- DROP TABLE customer;\nSELECT ';DROP TABLE customer;';",
  'a function whose body changes rows':
    'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM customer; $$;',
};

describe('the rule of migrations', () => {
  for (const [what, sql] of Object.entries(REFUSED)) {
    it(`refuses ${what} that the former build may not survive`, () => {
      expect(faultsOf(sql)).to.have.length.greaterThan(0);
    });
  }
  for (const [what, sql] of Object.entries(ALLOWED)) {
    it(`allows ${what}`, () => expect(faultsOf(sql)).to.deep.equal([]));
  }

  it('allows a second step that says why the former build does without, and only that kind', () => {
    const contract =
      '-- contract: release 0.3 reads title alone, since 0032\nALTER TABLE customer DROP COLUMN name;';
    expect(faultsOf(contract)).to.deep.equal([]);
    const [fault] = faultsOf(`${contract}CREATE INDEX by_title ON customer (title);`);
    expect(fault).to.include('stops writes until the index is made; say in a line "-- lock: …"');
    expect(faultsOf('-- contract: yes\nDROP TABLE customer;')).to.have.length(1);
  });

  it('finds what migrations of the past did to the builds before them', () => {
    const folder = new URL('../../packages/auth-server/migrations/', import.meta.url);
    const faults = readdirSync(folder).flatMap((file) =>
      faultsOf(readFileSync(new URL(file, folder), 'utf8')).map((fault) => `${file}: ${fault}`),
    );
    const found = (file, words) =>
      faults.some((one) => one.startsWith(file) && one.includes(words));
    expect(found('0004', 'drops a column')).to.equal(true);
    expect(found('0013', 'adds a column')).to.equal(false);
    expect(found('0013', 'takes the value')).to.equal(true);
    expect(found('0012', 'refuses rows')).to.equal(true);
  });
});
