// Where two answers differ first.

/** The first place in which two bodies differ, a JSON path for JSON; undefined where they are the same. */
export function firstDifference(expected, actual) {
  if (expected === actual) return undefined;
  const [before, after] = [expected, actual].map((body) => body.split('\n').map(readLine));
  const single = before.length === 1 && after.length === 1;
  const found = single ? within(before[0], after[0], '$') : within(before, after, '$lines');
  if (found !== undefined) return found;
  // The same values in another spelling.
  const at = [...expected].findIndex((_, index) => expected[index] !== actual[index]);
  const around = (body) => body.slice(Math.max(0, at - 40), at + 40);
  return { path: `character ${at}`, expected: around(expected), actual: around(actual) };
}

/** A line of CSV is the list of its cells. */
function readLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return line.split(',');
  }
}

function within(expected, actual, path) {
  if (expected === actual) return undefined;
  const areObjects = [expected, actual].every((one) => typeof one === 'object' && one !== null);
  if (!areObjects || Array.isArray(expected) !== Array.isArray(actual))
    return { path, expected, actual };
  const names = Object.keys({ ...expected, ...actual });
  for (const name of names) {
    const place = Array.isArray(expected) ? `[${name}]` : `.${name}`;
    const found = within(expected[name], actual[name], `${path}${place}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
