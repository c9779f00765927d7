import type { Page } from 'playwright-core';
import { type Between, PASS, problem } from './between.ts';
import type { ShownBook } from './shown-book.ts';

/** Who looks; `nobody` was granted nothing, an `administrator` may see the use of the API alone, and a `stranger` is not signed in. */
export type Viewer = 'agent' | 'lender' | 'borrower' | 'nobody' | 'administrator' | 'stranger';

/** A page or a state of one that somebody can meet. */
export interface Shown {
  readonly what: string;
  readonly as: Viewer;
  /** Names in braces are those of the book. */
  readonly address: string;
  readonly status?: number;
  /** What it says needs further answers of the API, such as since when there is something. */
  readonly asksFurther?: true;
  /** How many questions follow from answers, such as one about the deal that a facility is of. */
  readonly asksThen?: number;
  /** What tells that the page is in this state: CSS. */
  readonly has?: string;
  /** Answers instead of the API. */
  readonly fault?: NonNullable<Between['fault']>;
  /** Changes what the API answers. */
  readonly change?: (answer: string) => string;
  /** What brings the browser there, where it is more than opening the address. */
  readonly reach?: (page: Page, url: string) => Promise<void>;
}

const COMPARED = 'cmpAsOf=2024-12-31';
const ALL_FILTERS = [
  ...['q=Ortolan', 'currency=USD', 'country=US', 'status=active'],
  ...[
    'borrowerId={borrower}',
    'lenderId={lender}',
    'minOutstanding=0',
    'maxOutstanding=9999999999',
  ],
  ...['maturityFrom=2020-01-01', 'maturityTo=2090-01-01', 'includeZero=true'],
].join('&');
const COLUMNS = [
  ...['borrower', 'outstanding', 'commitment', 'unfunded', 'available', 'pastDue'],
  ...['letterOfCredit', 'interestAccrued', 'interestDue', 'feesAccrued', 'feesDue', 'posted'],
  ...['totalOutstanding', 'maturity', 'rate', 'status'],
].map((name) => `column=${name}`);
const DEAL = '/deals/{deal}';
const NO_DEAL = `/deals/deal_${'0'.repeat(26)}`;
const SUMS = /"(interestAccrued|feesAccrued|pastDue)":"[^"]*"/g;
const EMPTY = { has: '.empty' };
const NOTICE = { has: 'main .notice:not(.empty)' };
const MOVED = { has: 'td b' };
const CARD = 'main.card';

/** Opens every address of one list for one person. */
function pagesOf(as: Viewer, pages: Readonly<Record<string, string | Omit<Shown, 'as' | 'what'>>>) {
  return Object.entries(pages).map(([what, page]): Shown => {
    const rest = typeof page === 'string' ? { address: page } : page;
    return { what: as === 'agent' ? what : `${what}, as ${as}`, as, ...rest };
  });
}

const OF_THE_AGENT = pagesOf('agent', {
  ...Object.fromEntries(
    ['borrower', 'country', 'facilityType', 'status', 'lender'].map((by) => [
      `portfolio by ${by}`,
      { address: `/portfolio?by=${by}`, has: '.chart' },
    ]),
  ),
  'portfolio compared': { address: `/portfolio?${COMPARED}`, ...MOVED },
  'portfolio by country, compared with what was known': '/portfolio?by=country&cmpKnownAt={before}',
  'portfolio compared with a time before the book': {
    address: '/portfolio?cmpAsOf=1990-01-01',
    ...NOTICE,
  },
  'portfolio while newer postings are known': {
    address: '/portfolio?knownAt={before}',
    asksThen: 1,
    has: '.times .notice',
  },
  'portfolio whose sums are not known': {
    address: '/portfolio?knownAt={known}',
    change: (answer) => answer.replaceAll(SUMS, '"$1":null'),
    has: '.none',
  },
  deals: '/deals',
  'deals through every filter': {
    asksFurther: true,
    ...{ address: `/deals?${ALL_FILTERS}`, has: '.chips' },
  },
  'deals past due': { address: '/deals?pastDue=true', has: 'tbody tr' },
  'deals by days past due': { address: '/deals?daysPastDue=1-30', has: '.chips' },
  'deals that were restated': { address: '/deals?restated=true', has: 'tbody .tag' },
  'deals with some choices': { address: '/deals?choices=yes', has: '#choices-currency' },
  'deals with all choices': { address: '/deals?choices=all&country=US', has: '#choices-lender' },
  'deals that leave no choice': { address: '/deals?choices=yes&borrowerId={borrower}' },
  'deals sorted upwards': { address: '/deals?sort=outstanding', has: '[aria-sort=ascending]' },
  'deals sorted downwards': { address: '/deals?sort=-pastDue', has: '[aria-sort=descending]' },
  'deals with all columns': { address: `/deals?${COLUMNS.join('&')}` },
  'deals with one column': '/deals?column=status',
  'deals compared': { address: `/deals?${COMPARED}`, ...MOVED },
  'deals with all columns, compared': {
    address: `/deals?${[...COLUMNS, COMPARED].join('&')}`,
    ...MOVED,
  },
  'deals with zero balances': '/deals?includeZero=true',
  'a search that finds deals': { address: '/deals?q=Ortolan', asksThen: 1, has: 'tbody tr' },
  'a search that finds nothing': {
    asksFurther: true,
    ...{ address: '/deals?q=nobodyhasthisname', ...EMPTY },
  },
  'a search with one wrong letter': {
    asksFurther: true,
    ...{ address: '/deals?q=Ortolam', has: '.empty [href*=ortolan]' },
  },
  'a search for a country': { asksFurther: true, address: '/deals?q=Germany', has: '.chips' },
  'filters that leave nothing': { address: '/deals?country=XX&includeZero=true', ...EMPTY },
  'a list with more pages': {
    address: '/deals?knownAt={known}',
    change: (answer) =>
      answer.replace(/"hasMore":false(,"nextCursor":null)?/, '"hasMore":true,"nextCursor":"x"'),
    has: '.pager a',
  },
  'deals whose sums are not known': {
    address: '/deals?knownAt={known}',
    change: (answer) => answer.replaceAll(/"(interestAccrued|feesAccrued)":"[^"]*"/g, '"$1":null'),
    has: '.none',
  },
  'a deal': { address: DEAL, has: '.tabs [aria-current]' },
  'a deal of two currencies, restated': { address: DEAL, has: '.tag' },
  'the lenders of a deal': { address: `${DEAL}?view=lenders`, has: '.equal' },
  'where the numbers of a deal come from': { address: `${DEAL}?view=numbers`, has: '.provenance' },
  'a deal on one page': { address: `${DEAL}?view=all`, has: '.provenance' },
  borrowers: { address: '/borrowers', has: 'tbody th a' },
  'borrowers compared': { address: `/borrowers?${COMPARED}`, ...MOVED },
  lenders: { address: '/lenders', has: 'tbody th a' },
  'a borrower': { address: '/borrowers/{borrower}', has: '.chart' },
  'a lender': { address: '/lenders/{lender}', has: '.chart' },
  'no borrower at the address': {
    asksFurther: true,
    ...{ address: `/borrowers/pty_${'0'.repeat(26)}`, status: 404, has: CARD },
  },
  'a deal whose lenders do not add up': {
    address: `${DEAL}?view=lenders&knownAt={known}`,
    change: (answer) => answer.replace(/("lenders":\[.*?"outstanding":")\d/, '$19'),
    has: '.unequal',
  },
  'a deal compared': { address: `${DEAL}?view=all&${COMPARED}`, ...MOVED },
  'a deal compared with what was known': { address: `${DEAL}?cmpKnownAt={before}`, ...MOVED },
  'a deal compared with a time without it': { address: `${DEAL}?cmpAsOf=2020-01-01`, ...NOTICE },
  'a deal with a negative balance': { address: '/deals/{negative}', has: '.negative' },
  'a deal with more facilities than it lists': {
    address: `${DEAL}?knownAt={known}`,
    change: (answer) => answer.replace('"hasMoreFacilities":false', '"hasMoreFacilities":true'),
  },
  'a facility and its accruals': {
    address: '/facilities/{facility}',
    asksThen: 1,
    has: '#accrual-0',
  },
  'a facility with a bill that was corrected': {
    address: '/facilities/{corrected}',
    asksThen: 1,
    has: '#accrual-0',
  },
  'a facility compared': {
    address: `/facilities/{corrected}?${COMPARED}`,
    asksThen: 1,
    ...MOVED,
  },
  ...Object.fromEntries(
    ['month', 'quarter', 'year', 'event'].map((interval) => [
      `a roll-forward by ${interval}`,
      { address: `${DEAL}/roll-forward?interval=${interval}`, has: '.chart' },
    ]),
  ),
  'a roll-forward of this year': `${DEAL}/roll-forward?fromDate=2025-01-01`,
  'a roll-forward by facility': { address: `${DEAL}/roll-forward?by=facility`, has: 'tfoot' },
  'a roll-forward in which nothing moved': `${DEAL}/roll-forward?fromDate=2025-04-01`,
  postings: { address: `${DEAL}/movements`, has: '.reversed' },
  'postings of lenders': { address: `${DEAL}/movements?lenders=yes`, has: '.reversed' },
  'postings without those that were reversed': `${DEAL}/movements?lenders=yes&reversed=no`,
  'postings of one movement': { address: `${DEAL}/movements?movement=advance`, has: 'tbody td' },
  'postings of a movement that there is none of': {
    ...{ address: `${DEAL}/movements?movement=write_off`, ...EMPTY },
  },
  'postings, none in the period': { address: `${DEAL}/movements?fromDate=2025-04-01`, ...EMPTY },
  'postings, the first page': { address: '/deals/{long}/movements', has: '.pager [rel=next]' },
  'postings, the last page': {
    address: '/deals/{long}/movements',
    has: '.pager a:not([rel])',
    reach: async (page, url) => {
      await page.goto(url);
      await page.click('[rel=next]');
    },
  },
  changes: { asksThen: 1, address: '/changes?since={before}', ...MOVED },
  'changes since before the book': {
    asksFurther: true,
    address: '/changes?since=1990-01-01T00:00:00Z',
    ...MOVED,
  },
  'changes of a deal': {
    asksThen: 1,
    ...{ address: '/changes?dealId={deal}&since={before}', ...MOVED },
  },
  'no changes': { address: '/changes?since={known}&knownAt={known}', ...EMPTY },
  'changes that cannot be told': {
    address: '/changes?knownAt={known}',
    fault: (response, path) =>
      path.includes('updatedSince') ? problem(410, 'delta_unavailable')(response) : PASS,
    ...NOTICE,
  },
  'no deal at the address': { asksFurther: true, address: NO_DEAL, status: 404, has: CARD },
  'no facility at the address': {
    asksFurther: true,
    address: `/facilities/fac_${'0'.repeat(26)}`,
    status: 404,
    has: CARD,
  },
  'a date after the book': {
    asksFurther: true,
    address: '/deals?asOf=2150-01-01',
    status: 400,
    has: '#fault-asOf',
  },
  'a date before the book': {
    asksFurther: true,
    address: '/portfolio?asOf=1900-01-01',
    status: 400,
    has: '#fault-asOf',
  },
  'a period that begins before the book': {
    asksFurther: true,
    address: `${DEAL}/roll-forward?fromDate=1900-01-01`,
    status: 400,
    has: '#fault-fromDate',
  },
  'a comparison with a date after the book': {
    asksFurther: true,
    address: '/deals?cmpAsOf=2150-01-01',
    status: 400,
    has: '#fault-cmpAsOf',
  },
  'a time before the book': {
    asksFurther: true,
    address: '/deals?knownAt=1990-01-01T00:00:00Z',
    status: 400,
    has: '#fault-knownAt',
  },
  'a time in the future': {
    asksFurther: true,
    address: '/deals?knownAt=2150-01-01T00:00:00Z',
    status: 400,
    has: '#fault-knownAt',
  },
  'parts of the address that are not valid': {
    address: '/deals?sort=luck',
    status: 400,
    has: `${CARD} code`,
  },
  'filters that cannot be read': {
    asksFurther: true,
    address: '/deals?country=Atlantis&minOutstanding=much',
    status: 400,
    has: '#fault-country',
  },
  'an amount and a time that cannot be read': {
    address: '/deals?currency=USD&least=much&cmpKnownDay=2025-02-30&cmpKnownTime=',
    status: 400,
    has: '#fault-minOutstanding',
  },
  'changes since a time that cannot be read': {
    asksFurther: true,
    address: '/changes?sinceDay=soon&sinceTime=',
    status: 400,
    has: '#fault-since',
  },
  'a deal on a date after the data': { address: `${DEAL}?asOf=2026-06-30`, has: 'td small.tag' },
  'deals on a date after the data': { address: '/deals?asOf=2026-06-30', has: '.times .notice' },
  'a deal that begins later': {
    asksFurther: true,
    address: '/deals/{negative}?asOf=2024-06-30',
    ...{ status: 404, has: CARD },
  },
  'a tab in which somebody else was signed in': {
    ...{ address: '/deals?viewer=somebody', status: 409, has: CARD },
    reach: async (page, url) => {
      await page.context().addCookies([{ name: 'cls_explorer_viewers', value: 'somebody', url }]);
      await page.goto(url);
    },
  },
  'a cursor that is none': { address: '/deals?cursor=abc', status: 400, has: CARD },
  'an address without a page': { address: '/nothing', status: 404, has: CARD },
});

/** Opens the page as readers who chose compact rows see it; the next pages are as before. */
const compact = {
  status: 200,
  reach: async (page: Page, url: string) => {
    const { origin } = new URL(url);
    const chosen = { name: 'cls_explorer_density', url: origin };
    await page.context().addCookies([{ ...chosen, value: 'compact' }]);
    await page.goto(url);
    await page.context().addCookies([{ ...chosen, value: 'comfortable' }]);
  },
};

const OF_CHOICE = pagesOf('agent', {
  'deals in compact rows': { ...compact, address: '/deals', has: '.compact .list' },
  'deals compared, in compact rows': {
    ...compact,
    ...{ address: `/deals?${[...COLUMNS, COMPARED].join('&')}`, has: '.compact td b' },
  },
  'borrowers in compact rows': { ...compact, address: '/borrowers', has: '.compact .part' },
  'postings in compact rows': { ...compact, address: `${DEAL}/movements`, has: '.compact code' },
  'changes in compact rows': {
    ...compact,
    asksThen: 1,
    ...{ address: '/changes?since={before}', has: '.compact .list' },
  },
  'the first matches of a search': {
    address: '/portfolio',
    ...{ status: 200, has: '.matches [role=option][aria-selected=true]' },
    reach: async (page, url) => {
      await page.goto(url);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ortolan');
      await page.locator('.matches [role=option]').first().waitFor();
      await page.keyboard.press('ArrowDown');
    },
  },
  'a search without a match': {
    address: '/deals',
    ...{ status: 200, has: '.matches [hidden]' },
    reach: async (page, url) => {
      await page.goto(url);
      await page.fill('[type=search]', 'nobodyhasthisname');
      await page.locator('.matches').waitFor();
    },
  },
});

/** What the API may answer instead of numbers. */
const REFUSED = pagesOf('agent', {
  'a cursor of before': refused(410, 'invalid_cursor', 400),
  'a permission that is missing': refused(403, 'insufficient_permission'),
  'too many requests': refused(429, 'rate_limited', 429, { 'retry-after': '17' }),
  'an API that is not available': refused(503, 'unavailable'),
  'an API version that has ended': refused(410, 'version_retired', 503),
  'a rate that is missing': refused(422, 'fx_rate_missing'),
  'an answer that nobody expects': {
    ...refused(200, '', 500),
    fault: (response) => response.end('{"data":{}}'),
  },
});

function refused(status: number, code: string, shown = status, headers = {}) {
  const fault = problem(status, code, headers);
  return { address: '/deals?knownAt={known}', status: shown, has: CARD, fault };
}

/** Answers with so many clients and operations, of a version that ends. */
export function usageOf(count: number): NonNullable<Between['fault']> {
  const sum = { requested: 'v1', served: 'v1', requests: 12_345, lastDay: '2026-11-29' };
  const each = (more: (at: number) => object) =>
    Array.from({ length: count }, (_, at) => ({ ...sum, ...more(at) }));
  const totals = {
    requests: count * sum.requests,
    versions: count === 0 ? [] : [sum, { ...sum, requested: 'latest' }],
    clients: each((at) => ({ clientId: `svc_${`${at}`.padStart(26, '0')}` })),
    operations: each(() => ({ operation: 'GET /cls/balances/principal/movements' })),
  };
  const period = { from: '2026-10-31', to: '2026-11-29' };
  const versions = [
    { versionId: 'latest', support: 'Supported', retirement: 'Never' },
    { versionId: 'v1', support: 'Deprecated', retirement: '2027-12-01T00:00:00Z' },
  ];
  return (response, path) => {
    if (path === '/api') return response.end(JSON.stringify({ data: versions }));
    if (!path.includes('/usage')) return PASS;
    return response.end(JSON.stringify({ totals, meta: { period } }));
  };
}

const OF_OTHERS = [
  ...pagesOf('lender', {
    'portfolio of the own share': { address: '/portfolio', has: '.chosen' },
    'portfolio of the own share by country': '/portfolio?view=own&by=country',
    'portfolio of the own share, compared': `/portfolio?view=own&${COMPARED}`,
    'portfolio of global amounts': '/portfolio?view=global&by=lender',
    deals: '/deals',
    'deals compared': { address: `/deals?${COMPARED}`, ...MOVED },
    'a deal': DEAL,
    'the own part of a deal': `${DEAL}?view=all`,
    'the own lender': '/lenders/{lender}',
    'a borrower': '/borrowers/{borrower}',
    'a deal compared': { address: `${DEAL}?${COMPARED}`, ...MOVED },
    'a facility': { address: '/facilities/{corrected}', asksThen: 1 },
    'a roll-forward': `${DEAL}/roll-forward`,
    postings: `${DEAL}/movements?lenders=yes`,
    changes: { asksThen: 1, address: '/changes?since={before}' },
  }),
  ...pagesOf('borrower', {
    portfolio: '/portfolio?by=lender',
    deals: '/deals',
    'a deal': DEAL,
    'a facility': { address: '/facilities/{corrected}', asksThen: 1 },
    postings: `${DEAL}/movements?lenders=yes`,
  }),
  ...pagesOf('nobody', {
    'portfolio with nothing granted': { address: '/portfolio', ...EMPTY },
    'borrowers with nothing granted': { address: '/borrowers', ...EMPTY },
    'deals with nothing granted': { address: '/deals', ...EMPTY },
    'a deal that was not granted': { asksFurther: true, address: DEAL, status: 404, has: CARD },
    'changes with nothing granted': '/changes',
    'the use of the API, to whom it is not shown': {
      ...{ address: '/usage?asked=yes', status: 403, has: CARD },
    },
    'a sign-in that the issuer refused': {
      ...{ address: '/sign-in?return=/deals', status: 400, has: CARD },
      reach: (page, url) => answerSignIn(page, url, { code: undefined, error: 'access_denied' }),
    },
    'a sign-in that failed': {
      ...{ address: '/sign-in?return=/deals', status: 400, has: CARD },
      reach: (page, url) => answerSignIn(page, url, { code: 'x' }),
    },
    'a form of somebody else': {
      ...{ address: '/sign-out', status: 403, has: CARD },
      reach: async (page, url) => {
        await page.goto(new URL('/portfolio', url).href);
        await page.evaluate('document.querySelector("[name=csrf]").value = "x"');
        await page.click('[action="/sign-out"] button');
      },
    },
    'an API that trusts no token': {
      ...{ address: '/deals', status: 502, has: CARD },
      fault: problem(403, 'token_untrusted'),
    },
  }),
  ...pagesOf('administrator', {
    'the use of the API': { address: '/usage', has: 'th .tag', fault: usageOf(100) },
    'no use of the API': { address: '/usage', ...EMPTY, fault: usageOf(0) },
  }),
  ...pagesOf('stranger', {
    'signed out': { address: '/signed-out', has: CARD },
    'a sign-in that did not succeed': {
      address: '/not-signed-in?why=denied&return=%2Fdeals',
      ...{ status: 400, has: CARD },
    },
    'a sign-in that is over': { address: '/callback', status: 400, has: CARD },
    'a session that has ended': {
      ...{ address: '/deals', status: 401, has: CARD },
      reach: async (page, url) => {
        const cookie = { name: 'cls_explorer', value: 'x'.repeat(43), url };
        await page.context().addCookies([cookie]);
        await page.goto(url);
        await page.context().clearCookies();
      },
    },
    'an address without a page': { address: '/nothing', status: 404, has: CARD },
  }),
];

/** Signs in where the person is signed in at the issuer, and changes what the issuer answers. */
async function answerSignIn(
  page: Page,
  url: string,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  let at = url;
  while (!at.includes('/callback?')) {
    const response = await page.request.get(at, { maxRedirects: 0 });
    at = new URL(response.headers()['location'] ?? '', at).href;
  }
  const answer = new URL(at);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) answer.searchParams.delete(name);
    else answer.searchParams.set(name, value);
  }
  await page.goto(answer.href);
}

/** Every page and state of the explorer. A new one is a line here. */
export const EVERY_PAGE: readonly Shown[] = [
  ...OF_THE_AGENT,
  ...OF_CHOICE,
  ...REFUSED,
  ...OF_OTHERS,
];

/** What of the explorer is no page: files, and answers to programs. */
export const NO_PAGES = [
  ...[
    '/deals.csv',
    '/deals.ndjson',
    '/deals.xlsx',
    '/facilities.csv',
    '/positions.csv',
    '/positions.xlsx',
  ],
  ...['/deals/{id}/roll-forward.csv', '/deals/{id}/movements.csv'],
  ...['/news', '/matches', '/backchannel-logout'],
];

/** The address in a book. */
export function addressIn(book: ShownBook, { address }: Shown): string {
  return address.replace(/\{(\w+)\}/g, (_, name: keyof ShownBook) =>
    encodeURIComponent(book[name]),
  );
}

/** As `pages/routes.ts` writes it. */
export function routeOf({ address }: Shown): string {
  const [path = ''] = address.split('?');
  return path.replace(/\/(deals|facilities|borrowers|lenders)\/[^/]+/, '/$1/{id}');
}
