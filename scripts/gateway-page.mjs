// What a browser shows where the gateway itself answers: no service may be there to make a page.
// deploy/nginx.conf says the same.

const WORDS = {
  en: {
    title: 'We cannot do this just now',
    text: 'A part of this service does not answer. Your account and your data are not affected.',
    advice: 'Please try again in a minute.',
    again: 'Try again',
    reference: 'Reference:',
  },
  de: {
    title: 'Das ist im Moment nicht möglich',
    text: 'Ein Teil dieses Dienstes antwortet nicht. Ihr Konto und Ihre Daten sind nicht betroffen.',
    advice: 'Bitte versuchen Sie es in einer Minute erneut.',
    again: 'Erneut versuchen',
    reference: 'Referenz:',
  },
};

/** Whether a person's browser asks, rather than a program. */
export function isBrowser({ headers }) {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

/** @param reference the request's id: printable ASCII. */
export function unavailablePage({ headers }, reference) {
  const language = /^de\b/i.test(headers['accept-language'] ?? '') ? 'de' : 'en';
  const { title, text, advice, again, reference: label } = WORDS[language];
  const escaped = reference.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    },
    body: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – CLS</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p>${advice} <a href="">${again}</a></p>
<p>${label} <code>${escaped}</code></p>
</main>
</body>
</html>
`,
  };
}
