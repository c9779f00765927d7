import type { JsonSchema } from '../openapi.ts';

/** What the objects of answers are, for people who know loans and not this API. */
const WORDS: Readonly<Record<string, string>> = {
  Party: 'A borrower, lender, agent or guarantor.',
  Facility: 'What the lenders of a deal commit to: a term loan, a revolver, letters of credit.',
  Contract: 'One drawing under a facility, with its own dates and rate.',
  Amounts: 'What is committed, drawn, accrued, billed and past due at a date.',
  Share: 'One lender’s part of the amounts. The shares add up to the global amounts, to the unit.',
  RollForward: 'Principal before a period, what changed it, and principal after it.',
  RollForwardShare: 'One lender’s part of a roll-forward.',
  ClosingShare: 'One lender’s part of the closing principal.',
  Accrual: 'How an accrued amount comes about: the sum of its periods, rounded once.',
  AccrualPeriod: 'Days with one balance and one rate.',
  Reporting: 'The main amounts of an item in another currency.',
  ReportingTotal: 'The main amounts of all items in the reporting currency.',
  Total: 'Amounts of all items in one currency, over the whole filter.',
  Balance: 'The balance of a deal, facility, loan contract or lender’s position at a date.',
  PrincipalBalance:
    'The principal of a deal, facility, loan contract or lender’s position, rolled forward.',
  PrincipalMovement: 'One posting of principal: globally, or for one lender.',
  RemovedItem: 'An item of your copy that the question does not find any more.',
  ExportSummary: 'The last line of an NDJSON export. Without it the file was cut.',
  BalanceFields:
    'A balance. Without `fields` it has every member that `Balance` always has; with it, those that were asked for.',
  PrincipalBalanceFields:
    'A roll-forward. Without `fields` it has every member that `PrincipalBalance` always has; with it, those that were asked for.',
  BalanceList: 'A page of balances.',
  PrincipalBalanceList: 'A page of roll-forwards.',
  PrincipalMovementList: 'A page of postings.',
  BalanceLine: 'A line of an NDJSON export of balances.',
  PrincipalBalanceLine: 'A line of an NDJSON export of roll-forwards.',
  PrincipalMovementLine: 'A line of an NDJSON export of postings.',
  Deal: 'A credit agreement between a borrower and its lenders.',
  VersionUse: 'Requests of one client for one operation of a version on a day.',
  VersionUseList: 'A page of the use of the API by one customer.',
  Caller: 'Who sends the request, as its token and the entitlements say.',
  Problem: 'Why a request was refused (RFC 9457).',
};

/** Schemas with the words above them, where they have none of their own. */
export function withWords(
  schemas: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const description = schema.description ?? WORDS[name];
      return [name, description === undefined ? schema : { ...schema, description }];
    }),
  );
}
