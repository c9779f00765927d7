// Pages work without this. It announces newer postings, leads the keyboard to the search, shows the first
// matches below it, says when the next page takes long, and shows instants in the reader's own time.

const EVERY_MS = 60_000;
const SLOWEST_MS = 900_000;

/** Asks whether something newer is known, while somebody looks; says so once, and changes no number. */
function watchNews(region) {
  const { news, words, link, show } = region.dataset;
  let waitMs = EVERY_MS;
  let etag;

  const announce = () => {
    const notice = document.createElement('p');
    notice.className = 'notice';
    const now = document.createElement('a');
    now.href = show;
    now.textContent = link;
    notice.append(words, ' ', now);
    region.append(notice);
  };

  const ask = async () => {
    if (document.hidden) return true;
    const headers = etag === undefined ? {} : { 'if-none-match': etag };
    const response = await fetch(news, { headers, cache: 'no-store', redirect: 'error' });
    if (response.status === 401) return false; // Signed out: the next page says so.
    if (response.status === 304) return true;
    if (!response.ok) throw new Error(`${response.status}`);
    etag = response.headers.get('etag') ?? undefined;
    const { newer } = await response.json();
    if (newer) announce();
    return !newer;
  };

  const again = async () => {
    try {
      if (!(await ask())) return;
      waitMs = EVERY_MS;
    } catch {
      waitMs = Math.min(2 * waitMs, SLOWEST_MS); // Too many requests, or nobody answers.
    }
    setTimeout(again, waitMs);
  };
  setTimeout(again, waitMs);
}

const SWITCH = 'cls-shortcut';

function isOff() {
  try {
    return localStorage.getItem(SWITCH) === 'off';
  } catch {
    return false; // The browser keeps nothing for this site.
  }
}

/** Ctrl-K, Cmd-K and "/" lead to the search. The last one can be switched off (WCAG 2.1.4). */
function shortcuts(search) {
  const field = search.querySelector('[type=search]');
  document.addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey, isComposing } = event;
    if (altKey || isComposing) return;
    const writes = target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    const held = ctrlKey || metaKey;
    const chord = held && key.toLowerCase() === 'k';
    const slash = key === '/' && !held && !writes && !isOff();
    if (!chord && !slash) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  const name = () => {
    button.textContent = isOff() ? search.dataset.on : search.dataset.off;
  };
  button.addEventListener('click', () => {
    try {
      localStorage.setItem(SWITCH, isOff() ? 'on' : 'off');
    } catch {
      // It stays as it is.
    }
    name();
  });
  name();
  document.querySelector('.foot .links')?.append(button);
}

const TYPING_MS = 200;
const FAILED_MS = 10_000;

/** Lists where the search leads first, while somebody types: a combobox (WAI-ARIA, list autocomplete). */
function listMatches(search) {
  const field = search.querySelector('[type=search]');
  const panel = document.createElement('div');
  const list = document.createElement('div');
  const status = document.createElement('p');
  panel.append(list, status);
  search.append(panel);
  setAll(list, { role: 'listbox', id: 'matches', 'aria-label': search.dataset.matches });
  setAll(status, { role: 'status', class: 'hint' });
  const closed = { role: 'combobox', autocomplete: 'off', 'aria-autocomplete': 'list' };
  setAll(field, { ...closed, 'aria-controls': 'matches' });

  let wanted = '';
  let asked = '';
  let timer;
  let restsUntil = 0;

  const choose = (option) => {
    for (const one of list.children) one.setAttribute('aria-selected', one === option);
    setAll(field, { 'aria-activedescendant': option?.id ?? '' });
    option?.scrollIntoView({ block: 'nearest' });
  };
  const show = ({ said = '', options = '' } = {}) => {
    // The markup is made by the server, from names that it escapes.
    list.innerHTML = options;
    list.hidden = options === '';
    status.textContent = said;
    panel.className = said === '' ? 'unseen' : 'panel matches';
    setAll(field, { 'aria-expanded': options !== '' });
    choose(undefined);
  };
  const close = () => {
    wanted = '';
    show();
  };
  show();

  /** One question at a time: what was typed meanwhile is asked for next. */
  const ask = async () => {
    if (asked !== '' || wanted === '' || Date.now() < restsUntil) return;
    asked = wanted;
    const address = `/matches?${new URLSearchParams(new FormData(search))}`;
    let answer;
    try {
      const response = await fetch(address, { cache: 'no-store', redirect: 'error' });
      if (!response.ok) throw new Error(`${response.status}`);
      answer = await response.json();
    } catch {
      restsUntil = Date.now() + FAILED_MS; // The form searches without it.
    }
    const isWanted = asked === wanted;
    asked = '';
    if (isWanted) show(answer);
    else ask();
  };
  const seek = () => {
    const words = field.value.trim();
    wanted = words.length < field.minLength ? '' : words;
    if (wanted === '') show();
    clearTimeout(timer);
    timer = setTimeout(ask, TYPING_MS);
  };

  field.addEventListener('input', seek);
  field.addEventListener('blur', close);
  // The field keeps the focus while an option is clicked.
  panel.addEventListener('mousedown', (event) => event.preventDefault());
  field.addEventListener('keydown', (event) => {
    const { key, isComposing } = event;
    if (isComposing) return;
    const options = [...list.children];
    const at = options.findIndex((one) => one.ariaSelected === 'true');
    const isOpen = status.textContent !== '';
    if (key === 'ArrowDown' && !isOpen) seek();
    else if (key === 'ArrowDown') choose(options[(at + 1) % options.length]);
    else if (key === 'ArrowUp' && isOpen) choose(options.at(Math.max(at, 0) - 1));
    else if (key === 'Enter' && at >= 0) options[at].click();
    else if (key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  });
}

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

const SLOW_MS = 2_000;

/** While the next page is waited for, a bar is on top of this one; after a while, words too. */
function watchWaiting(head) {
  const status = document.createElement('p');
  status.role = 'status';
  document.body.append(status);
  let timer;
  const end = () => {
    clearTimeout(timer);
    status.className = '';
    status.textContent = '';
  };
  const begin = ({ destination, hashChange }) => {
    end();
    // A file leaves the page as it is.
    if (hashChange || /\.\w+$/.test(new URL(destination.url).pathname)) return;
    status.className = 'wait';
    timer = setTimeout(() => {
      status.textContent = head.dataset.slow;
    }, SLOW_MS);
  };
  // Browsers without it show their own sign alone.
  globalThis.navigation?.addEventListener('navigate', begin);
  globalThis.navigation?.addEventListener('navigateerror', end);
  addEventListener('pageshow', end);
}

/** Instants in the reader's own time; as the server wrote them, in UTC, where they are pointed at. */
function showLocalTimes() {
  const { lang } = document.documentElement;
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  });
  for (const time of document.querySelectorAll('time')) {
    time.title = time.textContent;
    time.textContent = format.format(new Date(time.dateTime));
  }
}

showLocalTimes();
const region = document.querySelector('[data-news]');
if (region !== null) watchNews(region);
const search = document.querySelector('[role=search]');
if (search !== null) {
  shortcuts(search);
  listMatches(search);
}
const head = document.querySelector('[data-slow]');
if (head !== null) watchWaiting(head);
