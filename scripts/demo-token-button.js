// Of the demonstration alone: stands behind try-it.js, in one module with it.
const demo = document.createElement('button');
demo.type = 'button';
demo.textContent = 'Use a token of a demo caller';
demo.onclick = async () => {
  const response = await fetch('/demo/token', { method: 'POST' });
  if (!response.ok) return show([paragraph(`No token: status ${response.status}`)]);
  token.value = (await response.json()).access_token;
  show([paragraph('The field has a token. Send the request.')]);
};
token.after(' ', demo);
