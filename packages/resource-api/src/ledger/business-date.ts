/** A calendar date as `YYYY-MM-DD`: no time, no zone. Compares and sorts as text. */
export type BusinessDate = string & { readonly __businessDate: true };

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The date, or undefined when the text is not a day of the calendar (2023-02-30). */
export function parseBusinessDate(text: string): BusinessDate | undefined {
  const [, year = '', month = '', day = ''] = SHAPE.exec(text) ?? [];
  const instant = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const exists =
    year >= '0100' && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
  return exists ? (text as BusinessDate) : undefined;
}

/** The date in UTC. */
export function businessDateOf(instant: Date): BusinessDate {
  return instant.toISOString().slice(0, 10) as BusinessDate;
}

/** The calendar day before. */
export function dayBefore(date: BusinessDate): BusinessDate {
  const instant = new Date(`${date}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() - 1);
  return businessDateOf(instant);
}
