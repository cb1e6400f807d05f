// Is next to the shop, which knows nothing of it: shows which lines of its mocks answer, and switches the app.
{
  const text = document.getElementById('mocks').textContent.split('\n');

  // The lines of a name, with the comment above it; in a scenario where one has it that is on.
  const lines = name => {
    const on = { getUser: signedIn, logout: signedIn, requestLocation: isPressed('app/deny-location') }[name];
    const begins = text.flatMap((line, index) => line.trim().startsWith('"' + name + '":') ? [index] : []);
    const isOffline = isPressed('app/offline') && name !== 'app/online';
    if (isOffline) begins.unshift(text.findIndex(line => line.trim().startsWith('"*":')));
    const begin = begins[on && !isOffline ? begins.length - 1 : 0];
    if (begin === undefined) return;
    let depth = 0;
    const end = text.findIndex((line, index) => {
      if (index < begin) return false;
      for (const letter of line) depth += { '{': 1, '[': 1, '}': -1, ']': -1 }[letter] ?? 0;
      return depth <= 0;
    });
    const indentation = text[begin].search(/\S/);
    return text.slice(begin, end + 1).map(line => line.slice(Math.min(indentation, line.search(/\S/)))).join('\n');
  };

  let signedIn = false;
  const isPressed = name => document.querySelector(`[data-on="${name}"]`).getAttribute('aria-pressed') === 'true';

  // What is to be pressed first is named above it, until it was pressed.
  const first = document.getElementById('first');
  document.querySelector('.actions').before(first);

  new MutationObserver(changes => {
    for (const { addedNodes: [line] } of changes) {
      const [, name, value] = line.textContent.match(/(\S*) (.*)/);
      if (line.className === 'page') {
        if (name === 'pay') first.hidden = true;
        const found = lines(name);
        if (found) document.getElementById('mock').textContent = found;
      } else if (value.startsWith('{"code":0')) {
        signedIn = name === 'login' || signedIn && name !== 'logout';
      }
    }
  }).observe(document.getElementById('log'), { childList: true });

  for (const button of document.querySelectorAll('.switches button')) {
    button.onclick = () => {
      const isOn = button.getAttribute('aria-pressed') === 'true';
      const name = isOn ? button.dataset.off : button.dataset.on;
      log('page', name, {});
      WebViewJavascriptBridge.callHandler(name, {}, answer => {
        if (answer.code === 0 && button.dataset.off) button.setAttribute('aria-pressed', !isOn);
        log('app', name, answer);
      });
    };
  }
}
