// docs/CHANGELOG.md for callers: what operators alone notice is left out.

/** @returns the text of each release without lines for operators, newest first. */
export function callersChangelog(text) {
  const [head, ...releases] = text.split(/^(?=## )/m);
  const kept = releases
    .map((release) => {
      const [title, ...items] = release.split(/^(?=- )/m);
      const forCallers = items.filter((item) => !/^- \**Operators\b/.test(item));
      return forCallers.length === 0 ? '' : `${title}${forCallers.join('')}`;
    })
    .filter((release) => release !== '');
  return `${head}${kept.join('')}`;
}
