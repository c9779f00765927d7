// Gives each block of code a button that copies it. A page that is not secure has no clipboard.
const said = document.createElement('p');
said.className = 'unseen';
said.role = 'status';
document.body.append(said);

for (const block of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.textContent);
    said.textContent = button.textContent = 'Copied';
    setTimeout(() => {
      said.textContent = '';
      button.textContent = 'Copy';
    }, 2_000);
  };
  const around = document.createElement('div');
  around.className = 'code';
  block.before(around);
  around.append(block, button);
}
