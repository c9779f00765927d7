// With the types that openapi-typescript makes (docs/guides/clients.md, "Generated clients").
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const { BASE, TOKEN } = process.env;
const client = createClient<paths, 'application/json'>({
  baseUrl: `${BASE}/api/v1`,
  headers: { authorization: `Bearer ${TOKEN}` },
});

function right<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const knownAt = new Date().toISOString();
const page = right(
  await client.GET('/cls/balances', {
    params: { query: { level: 'contract', expand: ['accrual', 'terms'], knownAt } },
  }),
);
const { asOf } = page.meta;
console.log('as of', asOf);
for (const { id, deal } of page.data) {
  const path = { id };
  const one = right(await client.GET('/cls/balances/{id}', { params: { path, query: { asOf } } }));
  const whole = right(
    await client.GET('/cls/deals/{id}', { params: { path: { id: deal?.id ?? '' } } }),
  );
  const outstanding = one.data.global?.principal?.outstanding;
  console.log(id, outstanding, whole.data.facilities[0]?.id);
}
const query = { asOf, limit: 1 };
const roll = right(await client.GET('/cls/balances/principal', { params: { query } }));
const series = right(
  await client.GET('/cls/balances/principal/series', { params: { query: { interval: 'year' } } }),
);
console.log('since', roll.meta.period.from, 'next', series.page.nextFromDate);
console.log(right(await client.GET('/cls/me')).data.accountType);
