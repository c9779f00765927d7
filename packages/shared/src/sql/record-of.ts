/** SQL for the milliseconds since 1970 of a moment: `recordOf` makes a Date of them. */
export function epochMs(moment: string): string {
  return `(extract(epoch FROM ${moment}) * 1000)::float8`;
}

/** A row as what it stands for: a member that is NULL is absent, and `times` (`epochMs`) are Dates. */
export function recordOf<T extends object>(row: object, ...times: readonly (keyof T)[]): T {
  const members = Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, times.includes(name as keyof T) ? new Date(value) : value]);
  return Object.fromEntries(members) as T;
}
