// Sends one request of the reader with the reader's own token, to this host alone. The token is read
// from its field when the request is sent, and is kept nowhere else.
const SHOWN_MAX = 200_000;
const HEADERS = [
  ...['api-version', 'content-type', 'etag', 'link', 'ratelimit', 'retry-after'],
  ...['www-authenticate', 'x-request-id'],
];

const form = document.querySelector('#try-form');
const command = document.querySelector('#try-command code');
const answer = document.querySelector('#try-answer');
const token = document.querySelector('#try-token');
const accept = document.querySelector('#try-accept');
let under;

form.hidden = false;
form.addEventListener('input', showCommand);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  send().catch((error) => show([paragraph(`No answer: ${error.message}`)]));
});
showCommand();

/** The path with the parameters that have a value. */
function target(base) {
  let path = base;
  const query = [];
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim();
    if (value === '') continue;
    if (field.dataset.in === 'path') {
      path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    } else if (field.dataset.in === 'query') {
      query.push(`${field.name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
    }
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function headers(bearer) {
  return {
    Authorization: `Bearer ${bearer}`,
    ...(accept === null ? {} : { Accept: accept.value }),
  };
}

function showCommand() {
  const shown = Object.entries(headers('$TOKEN')).map(([name, value]) => `-H "${name}: ${value}"`);
  const url = target(form.dataset.url).replaceAll("'", '%27');
  command.textContent = ['curl', ...shown, `'${url}'`].join(' \\\n  ').replace(' \\\n ', '');
}

async function send() {
  under?.abort();
  under = new AbortController();
  const { signal } = under;
  show([paragraph('Sending …')]);
  const response = await fetch(target(form.dataset.path), {
    method: form.dataset.method,
    headers: headers(token.value.trim()),
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal,
  });
  const text = await response.text();
  const told = HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  show([
    paragraph(`Status ${response.status}`),
    block(told.join('\n')),
    block(readable(text, response.headers.get('content-type') ?? '')),
  ]);
}

function readable(text, type) {
  const shown = /^application\/(problem\+)?json/.test(type) ? pretty(text) : text;
  return shown.length <= SHOWN_MAX
    ? shown
    : `${shown.slice(0, SHOWN_MAX)}\n… ${shown.length - SHOWN_MAX} more characters`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(nodes) {
  answer.replaceChildren(...nodes);
}

function paragraph(text) {
  const node = document.createElement('p');
  node.textContent = text;
  return node;
}

function block(text) {
  const node = document.createElement('pre');
  node.tabIndex = 0;
  node.textContent = text;
  return node;
}
