import type { RecordedRequest } from './recordings.ts';

const B = '/cls/balances';
const P = '/cls/balances/principal';
const M = '/cls/balances/principal/movements';
const F = '/cls/facets';
const S = '/cls/balances/principal/series';
const T = '/cls/balances/totals';
const U = '/cls/usage';
/** No day of it goes on while it is asked about. */
const MARCH = 'fromDate=2027-03-01&toDate=2027-03-31';
const ADMINISTRATOR = { customer: 'india', token: 'administrator' } as const;
const DEAL_ID = 'deal_0000000A00000000000000001A';
const DEAL = `/cls/deals/${DEAL_ID}`;
/** A date on which most of the book's loans live. */
const DAY = 'asOf=2017-06-14';
/** On this one, those of India do. */
const INDIA = 'country=IN&asOf=2021-01-01';
/** Before bills were taken back and billed again. */
const EARLIER = '2025-10-22T10:53:16.319187Z';

const named = (paths: readonly string[], more: Partial<RecordedRequest> = {}) =>
  paths.map((path): RecordedRequest => {
    const extra = Object.entries({ ...more, headers: more.headers?.['accept'] });
    const told = extra.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name} ${value}`],
    );
    return { name: [`GET ${path}`, ...told].join(', '), path, ...more };
  });
const csv = { headers: { accept: 'text/csv' } };
const ndjson = { headers: { accept: 'application/x-ndjson' } };

/** What is asked for, by topic: one file of recordings each. */
export const REQUESTS: Readonly<Record<string, readonly RecordedRequest[]>> = {
  balances: [
    ...named([
      `${B}?limit=2`,
      `${B}?limit=2&${DAY}`,
      `${B}?limit=2&level=deal&${DAY}`,
      `${B}?limit=2&level=contract&${DAY}`,
      `${B}?limit=2&level=position&${DAY}`,
      `${B}?limit=2&${DAY}&sort=-outstanding&include=totals`,
      `${B}?limit=1&${DAY}&knownAt=${EARLIER}`,
      `${B}?limit=1&${DAY}&expand=accrual`,
      `${B}?limit=1&level=deal&${DAY}&expand=contracts,accrual`,
      `${B}?limit=1&level=contract&${DAY}&expand=rates`,
      `${B}?limit=2&${DAY}&currency=EUR&reportingCurrency=USD&fxDate=2020-05-31&include=totals`,
      `${B}?limit=2&${DAY}&currency=EUR&reportingCurrency=USD&fxDate=2020-05-31&include=totals&compareAsOf=2017-08-16`,
      `${B}?limit=2&${DAY}&fields=global.total`,
      `${B}?limit=2&${DAY}&fields=global.total.pastDue,deal.name&includeZero=true`,
      `${B}?limit=2&${DAY}&fields=global,share`,
      `${B}?limit=1000&${DAY}&fields=deal.dealNumber`,
      `${B}?limit=2&${INDIA}&status=active&facilityType=term_loan,revolver`,
      `${B}?limit=2&${DAY}&currency=USD&minOutstanding=1000.00&maxOutstanding=90000000`,
      `${B}?limit=2&dealId=ext:NOBODY:1`,
      `${B}?limit=2&${DAY}&q=gen%20borr&fields=deal,borrower&include=totals`,
      `${B}?limit=2&q=x`,
      `${B}?limit=2&${DAY}&sort=-interestAccrued&fields=global.interest`,
      `${B}?limit=2&${DAY}&level=position&sort=-pastDue&fields=share.total`,
      `${B}?limit=2&${DAY}&level=contract&maturityFrom=2018-01-01&maturityTo=2025-12-31&fields=contract`,
      `${B}?limit=2&${DAY}&pastDue=true&fields=global.total&include=totals`,
      `${B}?limit=2&${DAY}&level=deal&daysPastDue=1-30,over-90&fields=status,global.total&include=totals`,
      `${B}?limit=2&${DAY}&level=position&pastDue=true&restated=true&fields=share.total`,
      `${B}?limit=2&asOf=2017-08-16&restated=true&fields=provenance.restated&include=totals`,
    ]),
    { name: 'a second page', path: `${B}?limit=2&${DAY}&fields=global.total,deal` },
    { name: 'a second page: next' },
    { name: 'pages of the default level', path: `${B}?limit=3&asOf=2017-08-16` },
    { name: 'pages of the default level: next' },
    { name: 'pages of the default level: next but one' },
    ...named([`${B}?limit=2&${DAY}`], { customer: 'agent-bank' }),
    ...named([`${B}?limit=2&${DAY}`, `${B}?limit=2&level=position`], { customer: 'lender-one' }),
    ...named([`${B}?limit=2&${DAY}`], { customer: 'india' }),
    ...named([`${B}?limit=2`], { customer: 'nobody' }),
    { name: 'HEAD', method: 'HEAD', path: `${B}?limit=2&${DAY}` },
    ...named([`${B}?limit=2&asOf=2017-08-16&sinceAsOf=2017-08-16&updatedSince=${EARLIER}`]),
  ],
  principal: [
    ...named([
      `${P}?limit=2`,
      `${P}?limit=2&level=deal&fromDate=2017-01-01&toDate=2017-06-14`,
      `${P}?limit=2&level=facility&${DAY}`,
      `${P}?limit=2&level=position&${DAY}`,
      `${P}?limit=1&${DAY}&expand=movements`,
      `${P}?limit=1&level=facility&${DAY}&expand=contracts`,
      `${P}?limit=2&${DAY}&fields=global.closing,links`,
      `${P}?limit=2&${DAY}&currency=EUR&reportingCurrency=USD&fxDate=2020-05-31`,
      `${P}?limit=2&asOf=2017-08-16&sinceAsOf=2017-08-16&updatedSince=${EARLIER}`,
    ]),
    { name: 'a second page', path: `${P}?limit=2&${DAY}` },
    { name: 'a second page: next' },
    ...named([`${P}?limit=2&${DAY}`], { customer: 'agent-bank' }),
    ...named([`${P}?limit=2&${DAY}`], { customer: 'lender-one' }),
    ...named([`${P}?limit=2&${DAY}`], { customer: 'india' }),
  ],
  movements: [
    ...named([`${M}?limit=3`, `${M}?limit=3&fromDate=2017-01-01&toDate=2017-06-14`]),
    { name: 'a second page', path: `${M}?limit=2&${DAY}` },
    { name: 'a second page: next' },
    ...named([`${M}?limit=3&${DAY}`], { customer: 'lender-one' }),
  ],
  exports: [
    ...named(
      [
        `${B}?${INDIA}`,
        `${B}?level=deal&country=US&${DAY}`,
        `${B}?currency=EUR&${DAY}&reportingCurrency=USD&fxDate=2020-05-31`,
        `${B}?level=position&${INDIA}`,
        `${B}?country=US&${DAY}&fields=global.total,deal.name`,
        `${P}?${INDIA}`,
        `${M}?currency=EUR&fromDate=2017-06-01&toDate=2017-06-14`,
        `${M}?dealId=${DEAL_ID}&fromDate=2017-01-01&toDate=2017-01-31`,
        `${B}?asOf=2017-08-16&sinceAsOf=2017-08-16&updatedSince=${EARLIER}`,
      ],
      csv,
    ),
    ...named(
      [
        `${B}?${INDIA}`,
        `${B}?level=deal&country=US&${DAY}`,
        `${B}?country=US&${DAY}&fields=global.total,deal.name`,
        `${P}?${INDIA}`,
        `${M}?currency=EUR&fromDate=2017-06-01&toDate=2017-06-14`,
        `${M}?dealId=${DEAL_ID}&fromDate=2017-01-01&toDate=2017-01-31`,
        `${B}?asOf=2017-08-16&sinceAsOf=2017-08-16&updatedSince=${EARLIER}`,
      ],
      ndjson,
    ),
    ...named([`${B}?${INDIA}`], { ...csv, customer: 'lender-one' }),
  ],
  singles: [
    ...named([
      `${B}/bal_fac_0000000A00000000000000001B?${DAY}`,
      `${B}/bal_deal_0000000A00000000000000001A_EUR?${DAY}&expand=contracts,accrual`,
      `${B}/bal_ctr_0000000A00000000000000001T?${DAY}&reportingCurrency=USD&fxDate=2020-05-31`,
      `${B}/bal_pos_0000000A00000000000000001C?${DAY}&knownAt=${EARLIER}`,
      `${B}/bal_fac_0000000A00000000000000001B?${DAY}&fields=global.total,deal.name`,
      `${DEAL}?${DAY}`,
      `${DEAL}?${DAY}&expand=terms`,
      `${B}?limit=2&${DAY}&level=contract&expand=terms`,
      `${B}?expand=terms&updatedSince=${EARLIER}`,
      `${B}/bal_pos_0000000A00000000000000001C?${DAY}&expand=terms`,
      '/cls/deals/deal_8HE2Z333RY8RQYGMGQCPAS2HY8?asOf=2021-01-01&expand=contracts',
      // One that there is not, a name that none has, and wrong parameters.
      '/cls/deals/deal_0000000A000000000000000ZZZ',
      '/cls/deals/1',
      `${B}/bal_fac_0000000A000000000000000ZZZ`,
      `${B}/bal_deal_0000000A00000000000000001A_eur`,
      `${DEAL}?asof=2017-06-14&knownAt=now&expand=movements`,
      `${B}/bal_fac_0000000A00000000000000001B?level=deal&fields=global.totals`,
    ]),
    ...named([`${DEAL}?${DAY}&expand=terms`], { customer: 'lender-one' }),
    ...named([`${DEAL}?${DAY}`, `${B}/bal_pos_0000000A00000000000000001C?${DAY}`], {
      customer: 'lender-one',
    }),
    ...named([DEAL, `${B}/bal_pos_0000000A00000000000000001D`], { customer: 'india' }),
    ...named(['/cls/me', '/cls/me?asOf=2017-06-14']),
    ...['agent-bank', 'lender-one', 'india', 'nobody'].flatMap((customer) =>
      named(['/cls/me'], { customer }),
    ),
    ...named([DEAL], { headers: { accept: 'text/csv' } }),
    ...named([DEAL, `${B}/bal_fac_0000000A00000000000000001B`], { token: 'none' }),
  ],
  totals: [
    ...named([
      `${T}?${DAY}`,
      `${T}?${DAY}&groupBy=borrower&top=2`,
      `${T}?${DAY}&groupBy=country&level=deal`,
      `${T}?${DAY}&groupBy=facilityType&country=IN,US`,
      `${T}?${DAY}&groupBy=status&level=contract`,
      `${T}?${DAY}&groupBy=lender&top=3&knownAt=${EARLIER}`,
      `${T}?${DAY}&groupBy=maturityYear&includeZero=true`,
      `${T}?${DAY}&groupBy=daysPastDue&level=deal`,
      `${T}?${DAY}&groupBy=lender&top=3&compareAsOf=2017-08-16`,
      `${T}?${DAY}&compareKnownAt=2001-01-01T00:00:00Z`,
      `${T}?groupBy=lender&level=facility&top=0&limit=2&asOf=yesterday`,
      `${T}?groupBy=facilityType&level=deal&updatedSince=${EARLIER}`,
    ]),
    ...named([`${T}?${DAY}&groupBy=lender`], { customer: 'lender-one' }),
    ...named([`${T}?${DAY}&groupBy=borrower`], { customer: 'india' }),
    ...named([`${T}?${DAY}`], { customer: 'nobody' }),
    ...named([T], { token: 'none' }),
  ],
  series: [
    ...named([
      `${S}?fromDate=2016-11-20&toDate=2017-06-14&currency=EUR`,
      `${S}?interval=quarter&${DAY}&level=deal`,
      `${S}?interval=year&${DAY}&knownAt=${EARLIER}&level=position`,
      `${S}?interval=event&fromDate=2017-04-01&toDate=2017-06-14`,
      `${S}?interval=day&includeZero=true&fromDate=2017-06-14&toDate=x`,
    ]),
    ...named([`${S}?interval=year&level=position&${DAY}`], { customer: 'lender-one' }),
    ...named([`${S}?interval=year&${DAY}`], { customer: 'india' }),
    ...named([`${S}?interval=year&${DAY}`], { customer: 'nobody' }),
    ...named([S], { token: 'none' }),
  ],
  facets: [
    ...named([
      `${F}?${DAY}`,
      `${F}?${DAY}&level=deal&includeZero=true`,
      `${F}?${DAY}&fields=currency,lender&top=2&currency=EUR,JPY&level=position`,
      `${F}?fields=region,facilityType&level=deal&top=1001&limit=1`,
    ]),
    ...named([`${F}?${DAY}`], { customer: 'lender-one' }),
    ...named([`${F}?${DAY}&fields=lender,borrower`], { customer: 'india' }),
    ...named([`${F}?${DAY}`], { customer: 'nobody' }),
    ...named([F], { token: 'none' }),
  ],
  usage: [
    ...named(
      [
        `${U}?${MARCH}`,
        `${U}?fromDate=2027-03-30&toDate=2027-03-31`,
        `${U}?fromDate=2027-04-01&toDate=2027-03-31&limit=0`,
      ],
      ADMINISTRATOR,
    ),
    { name: 'pages of usage', path: `${U}?limit=2&${MARCH}`, ...ADMINISTRATOR },
    { name: 'pages of usage: next', ...ADMINISTRATOR },
    ...named([`${U}?${MARCH}`], { ...ADMINISTRATOR, customer: 'nobody' }),
  ],
  errors: [
    ...named([
      `${B}?asOf=2017-02-30&limit=0&currency=usd&includezero=true&dealId=x&sort=name`,
      `${B}?asof=2017-06-14`,
      `${B}?limit=1001`,
      `${B}?level=region`,
      `${B}?asOf=2999-01-01`,
      `${B}?asOf=1900-01-01`,
      `${B}?knownAt=2000-01-01T00:00:00Z`,
      `${B}?knownAt=2025-13-01T00:00:00Z`,
      `${B}?minOutstanding=1`,
      `${B}?level=deal&facilityId=ext:A:1&expand=movements`,
      `${B}?fields=deal.nam,global.totals`,
      `${B}?cursor=abc`,
      `${B}?${DAY}&reportingCurrency=CHF`,
      `${P}?${DAY}&reportingCurrency=CHF`,
      `${P}?fromDate=2018-01-01&toDate=2017-01-01`,
      `${P}?asOf=2017-01-01&toDate=2017-01-01`,
      `${M}?level=deal`,
      `/cls/nothing`,
      '',
    ]),
    ...named([`${B}?asOf=2017-08-16&sinceAsOf=2017-08-16&updatedSince=${EARLIER}`], {
      customer: 'lender-one',
    }),
    ...named([`${B}?limit=5`, `${P}?limit=5`], csv),
    ...named([B, P], { headers: { accept: 'text/html' } }),
    ...named([B, P, M], { token: 'none' }),
    ...named([B], { token: 'broken' }),
    ...named([B, P], { token: 'without permission' }),
    { name: 'POST', method: 'POST', path: B },
  ],
};
