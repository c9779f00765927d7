// docs/reference/errors.md as one entry for each code: a heading, a line of facts, and the text.

const FACTS = /^\*Status ([\d, ]+)\. Send again: (yes|no)(?:, ([^*]+))?\.\*$/;

const EXAMPLE = /^```json\n(.*?)^```\n?/ms;

/** @throws {Error} where an entry has no line of facts. */
export function errorEntries(text) {
  const [, ...sections] = text.split(/^## /m);
  return sections.map((section) => {
    const [heading, ...lines] = section.trim().split('\n');
    const code = heading.replaceAll('`', '').trim();
    const rest = lines.join('\n').trim();
    const [first, ...body] = rest.split('\n');
    const facts = FACTS.exec(first);
    if (facts === null)
      throw new Error(`docs/reference/errors.md: ${code} needs *Status …. Send again: ….*`);
    const [, statuses, again, how] = facts;
    const written = body.join('\n');
    const [block, example] = EXAMPLE.exec(written) ?? [];
    return {
      code,
      statuses: statuses.split(', ').map(Number),
      sendAgain: again === 'yes',
      ...(how && { how }),
      ...(example && { example: example.trim() }),
      text: written.replace(block ?? '', '').trim(),
    };
  });
}
