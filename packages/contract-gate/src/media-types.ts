/** A media type in one spelling: lower case, parameters in order, without those that do not matter. */
export function mediaTypeKey(text: string): string {
  const [type = '', ...parameters] = text
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const kept = parameters.filter((part) => part !== '' && !/^(charset|q)\s*=/.test(part));
  return [type, ...kept.sort()].join(';');
}

/** Whether a range such as `text/*` holds a media type. */
export function covers(range: string, type: string): boolean {
  if (range === '*/*' || range === '*') return true;
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1));
}
