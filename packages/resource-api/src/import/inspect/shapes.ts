/** Forms of texts, with the samples that decide how all texts of the form are read. */

export interface Sample {
  readonly text: string;
  readonly row: number;
}

/** Texts of one form: `12/31/2025` and `11/30/2024` are of one, `12/1/2025` is of another. */
export interface ShapeEvidence {
  readonly shape: string;
  cells: number;
  /** The first, and for each number in it those with the least and the most. */
  readonly samples: Sample[];
  readonly least: number[] | undefined;
  readonly most: number[] | undefined;
}

/** Of a form, before those that are no longer extreme are left out. */
const SAMPLES_KEPT = 40;
const DISTINCT_LENGTHS = [1, 2, 3, 4, 6, 8];

/** Each run of digits by its length, and by whether it begins with 0; other characters as they are. */
export function shapeOf(text: string): string {
  return text.replace(/\d+/g, (run) => {
    const length = DISTINCT_LENGTHS.includes(run.length) ? run.length : 5;
    return `${run.startsWith('0') && run.length > 1 ? 0 : 9}${length}`;
  });
}

/** Which days and months a date has decides how it is read: the greatest and the least are kept. */
export function keepExtremes(evidence: ShapeEvidence, sample: Sample): void {
  const { samples, least, most } = evidence;
  if (least === undefined || most === undefined) return;
  const parts = dateParts(sample.text);
  let isExtreme = false;
  for (const [at, part] of parts.entries()) {
    if (part < (least[at] ?? part)) least[at] = part;
    else if (part > (most[at] ?? part)) most[at] = part;
    else continue;
    isExtreme = true;
  }
  if (!isExtreme) return;
  samples.push(sample);
  if (samples.length < SAMPLES_KEPT) return;
  const needed = samples.filter(({ text }, index) => {
    const each = dateParts(text);
    return index === 0 || each.some((part, at) => part === least[at] || part === most[at]);
  });
  samples.splice(0, samples.length, ...needed);
}

/** The numbers of what may be a date; digits that touch in pairs. */
function dateParts(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).flatMap((run) =>
    run.length === 6 || run.length === 8 ? (run.match(/\d\d/g) ?? []).map(Number) : [Number(run)],
  );
}

/** Three numbers, or a name and two, or a month and a year. */
function mayBeDate(text: string, shape: string): boolean {
  if (text.length > 30) return false;
  const parts = dateParts(text).length;
  return parts <= 7 && (parts > 2 || (parts === 2 && /\p{L}|[/-]/u.test(shape)));
}

export function newShape(shape: string, sample: Sample): ShapeEvidence {
  const parts = mayBeDate(sample.text, shape) ? dateParts(sample.text) : undefined;
  return {
    shape,
    cells: 1,
    samples: [sample],
    least: parts && [...parts],
    most: parts && [...parts],
  };
}
