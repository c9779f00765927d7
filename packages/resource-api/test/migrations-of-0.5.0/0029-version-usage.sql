-- Which versions of the API customers use, where no Redis counts it (docs/versioning.md).
CREATE TABLE version_usage (
  day date NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  requested text COLLATE "C" NOT NULL,
  served text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  requests bigint NOT NULL CHECK (requests > 0),
  PRIMARY KEY (day, customer_id, client_id, subject, requested, served, operation)
);

-- The last batch of counts of each process: a batch that is sent again adds nothing.
CREATE TABLE version_usage_source (
  id text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL
);
