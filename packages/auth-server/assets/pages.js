// Small comforts on any page: show a password, copy, download, print, Caps Lock, no double submit.
// Every page works without; what needs this script is hidden until it runs.

// A page that answers a form is kept as one that was opened: Back and reload show our page, and not
// the browser's question whether to send the form again.
history.replaceState(history.state, '', location.href);

const all = (selector) => document.querySelectorAll(selector);

for (const button of all('[data-reveal]')) {
  const input = document.getElementById(button.dataset.reveal);
  const show = (shown) => {
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
  };
  button.addEventListener('click', () => show(input.type === 'password'));
  // Hidden again before it is sent, so that no browser keeps it as an ordinary field's text.
  input.form.addEventListener('submit', () => show(false));
  button.hidden = false;
}

for (const hint of all('[data-caps-lock]')) {
  const input = document.getElementById(hint.dataset.capsLock);
  const update = (event) => {
    if (event.getModifierState) hint.hidden = !event.getModifierState('CapsLock');
  };
  input.addEventListener('keydown', update);
  input.addEventListener('keyup', update);
  input.addEventListener('blur', () => {
    hint.hidden = true;
  });
}

/** Lines of a list; a key without the spaces that group it. */
function textOf(id) {
  const element = document.getElementById(id);
  const items = [...element.querySelectorAll('li')];
  return items.length > 0
    ? `${items.map((item) => item.textContent.trim()).join('\n')}\n`
    : element.textContent.replaceAll(' ', '');
}

for (const button of all('[data-copy]')) {
  if (!navigator.clipboard) continue; // Absent on plain http.
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf(button.dataset.copy));
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
  button.setAttribute('aria-live', 'polite');
  button.hidden = false;
}

for (const button of all('[data-download]')) {
  button.addEventListener('click', () => {
    const text = `${button.dataset.heading}\n\n${textOf(button.dataset.download)}`;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = button.dataset.filename;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  button.hidden = false;
}

for (const button of all('[data-print]')) {
  button.addEventListener('click', () => print());
  button.hidden = false;
}

// A second press while the first is on its way sends nothing; after a while it does again, for
// the first may have been stopped.
const AGAIN_AFTER_MS = 3000;
const sentAt = new WeakMap();
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return;
  const { target, timeStamp } = event;
  if (timeStamp - sentAt.get(target) < AGAIN_AFTER_MS) event.preventDefault();
  else sentAt.set(target, timeStamp);
});

// Submit a form without fields by itself, once: a person who comes Back to the page may stay.
addEventListener('load', () => {
  if (performance.getEntriesByType('navigation')[0]?.type === 'back_forward') return;
  for (const form of all('form[data-submit-now]')) form.requestSubmit();
});

// The reader's own time beside UTC, where that is another.
const tag = document.documentElement.lang === 'de' ? 'de-DE' : 'en-GB';
const local = new Intl.DateTimeFormat(tag, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  timeZoneName: 'short',
});
for (const time of all('time[datetime]')) {
  const at = new Date(time.dateTime);
  if (at.getTimezoneOffset() !== 0) time.append(` (${local.format(at)})`);
}
