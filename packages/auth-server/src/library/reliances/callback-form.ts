/** As the library writes it, with an inline script that sends the form. */
const PAGE =
  /<title>Submitting Callback<\/title>[\s\S]*<form method="post" action="([^"]*)">([\s\S]*?)<noscript>/;
const INPUT = /<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export interface CallbackForm {
  readonly action: string;
  /** Names and values, in the order of the form. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * The form with which the library sends a browser on, read from its page; undefined for any other
 * body. It does so to sign out where nobody is signed in, to sign in as somebody else, and for
 * `response_mode=form_post`.
 */
export function callbackFormOf(body: unknown): CallbackForm | undefined {
  if (typeof body !== 'string') return undefined;
  const [, action, inputs = ''] = PAGE.exec(body) ?? [];
  if (action === undefined) return undefined;
  const fields = [...inputs.matchAll(INPUT)].map(
    ([, name = '', value = '']) => [unescaped(name), unescaped(value)] as const,
  );
  return { action: unescaped(action), fields };
}

function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
