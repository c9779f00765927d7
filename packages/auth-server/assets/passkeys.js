// Passkeys (WebAuthn level 3). A form with `data-passkey` asks the browser, puts the credential's
// JSON into its field `credential` and is sent like any other form.

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const withIds = (list = []) => list.map((each) => ({ ...each, id: bytes(each.id) }));

/** What `parseRequestOptionsFromJSON` gives, in browsers that lack it. */
function requestOptions(json) {
  const { PublicKeyCredential: api } = globalThis;
  if (api.parseRequestOptionsFromJSON) return api.parseRequestOptionsFromJSON(json);
  return {
    ...json,
    challenge: bytes(json.challenge),
    allowCredentials: withIds(json.allowCredentials),
  };
}

/** What `parseCreationOptionsFromJSON` gives, in browsers that lack it. */
function creationOptions(json) {
  const { PublicKeyCredential: api } = globalThis;
  if (api.parseCreationOptionsFromJSON) return api.parseCreationOptionsFromJSON(json);
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: withIds(json.excludeCredentials),
  };
}

/** `toJSON()`; written out for browsers and password managers that lack it. */
function credentialJson(credential) {
  try {
    return credential.toJSON();
  } catch {
    const { id, rawId, type, authenticatorAttachment, response } = credential;
    const parts = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'];
    const json = {};
    for (const part of [...parts, 'attestationObject']) {
      if (response[part]) json[part] = text(response[part]);
    }
    if (response.getTransports) json.transports = response.getTransports();
    return {
      ...{ id, rawId: text(rawId), type, authenticatorAttachment, response: json },
      clientExtensionResults: credential.getClientExtensionResults(),
    };
  }
}

/** One request at a time: the browser refuses a second while one waits, autofill's included. */
let pending = new AbortController();

function begin(why) {
  pending.abort(new DOMException(why, 'AbortError'));
  pending = new AbortController();
  return pending.signal;
}

async function ask(form, mediation) {
  const json = JSON.parse(form.dataset.options);
  const signal = begin('another request begins');
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: creationOptions(json), signal })
      : await navigator.credentials.get({
          publicKey: requestOptions(json),
          signal,
          ...(mediation && { mediation }),
        });
  if (!credential) throw new DOMException('no credential', 'NotAllowedError');
  form.elements.credential.value = JSON.stringify(credentialJson(credential));
  // Ticked in the form beside this one, for whichever way is taken.
  const tick = document.querySelector('[type=checkbox][name=remember_device]');
  if (tick?.checked) form.elements.remember_device.value = tick.value;
  form.submit();
}

function tell(form, failure) {
  for (const each of form.querySelectorAll('[data-failure]')) {
    each.hidden = each.dataset.failure !== failure;
  }
}

async function autofill(form) {
  const { PublicKeyCredential: api } = globalThis;
  if (!(await api.isConditionalMediationAvailable?.())) return;
  try {
    await ask(form, 'conditional');
  } catch {
    // Superseded by the button, or dismissed: the page's other ways stay open.
  }
}

const possible = globalThis.PublicKeyCredential !== undefined;
for (const each of document.querySelectorAll('[data-passkey-way]')) each.hidden = !possible;
for (const form of document.querySelectorAll('[data-passkey]')) {
  if (!possible) continue;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    tell(form, undefined);
    try {
      await ask(form);
    } catch (error) {
      if (error.name === 'AbortError') return;
      tell(form, error.name === 'InvalidStateError' ? 'exists' : 'cancelled');
      if (form.dataset.passkey === 'autofill') autofill(form);
    }
  });
  for (const button of form.querySelectorAll('button[hidden]')) button.hidden = false;
  for (const sentence of form.querySelectorAll('[data-unavailable]')) sentence.hidden = true;
  if (form.dataset.passkey === 'autofill') autofill(form);
}
addEventListener('pagehide', () => begin('the page is left'));
