// Pages work without this. It announces newer postings, and leads the keyboard to the search.

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

const region = document.querySelector('[data-news]');
if (region !== null) watchNews(region);
const search = document.querySelector('[role=search]');
if (search !== null) shortcuts(search);
