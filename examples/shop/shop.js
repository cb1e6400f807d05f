// A shop as a page of an app. It asks its app by WebViewJavascriptBridge, and knows nothing else of where it runs.

const prints = [
  { id: 11, title: 'Low tide', price: 24, art: '<path d="M0 66h100v59H0z" fill="var(--blue)"/><circle cx="50" cy="62" r="26" fill="var(--red)"/><path d="M0 92h100M0 106h100" stroke="var(--sheet)" stroke-width="4"/>' },
  { id: 14, title: 'Lighthouse', price: 28, art: '<path d="M100 18v34L44 40z" fill="var(--sun)"/><path d="M34 125l6-84h20l6 84z" fill="var(--red)"/><path d="M37 88h26M36 108h28" stroke="var(--sheet)" stroke-width="8"/><path d="M38 41V27h24v14z" fill="var(--blue)"/>' },
  { id: 17, title: 'Ferry at six', price: 32, art: '<circle cx="72" cy="36" r="18" fill="var(--sun)"/><path d="M12 72h76l-14 26H26z" fill="var(--blue)"/><path d="M28 72V54h36v18zM52 54V38h10v16z" fill="var(--red)"/><path d="M0 106h100v19H0z" fill="var(--blue)" opacity=".45"/>' },
  { id: 23, title: 'Fog, then gulls', price: 24, art: '<circle cx="40" cy="70" r="34" fill="var(--blue)" opacity=".4"/><circle cx="66" cy="82" r="30" fill="var(--sun)" opacity=".75"/><path d="M18 34q9-12 16 0q8-12 16 0M56 22q7-9 12 0q7-9 13 0" fill="none" stroke="var(--red)" stroke-width="4"/>' },
];
let shown;
const element = id => document.getElementById(id);
const say = (id, text) => { element(id).textContent = text; };
const picture = print => '<svg viewBox="0 0 100 125" aria-hidden="true">' + print.art + '</svg>';

// Asks the web view for its bridge. The view sees that a frame wants to load this address, loads nothing, and calls
// back who waits in `WVJBCallbacks`.
function setupWebViewJavascriptBridge(use) {
  if (window.WebViewJavascriptBridge) return use(window.WebViewJavascriptBridge);
  if (window.WVJBCallbacks) return window.WVJBCallbacks.push(use);
  window.WVJBCallbacks = [use];
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.src = 'https://__bridge_loaded__';
  document.documentElement.append(frame);
  setTimeout(() => frame.remove());
}

// Shows a print, as a tap or a link from outside wants it.
function show(print) {
  shown = print;
  say('title', print.title);
  say('price', '€' + print.price + ', 30 × 40 cm');
  element('picture').innerHTML = picture(print);
  for (const id of ['payment', 'receipt', 'shared']) say(id, '');
  for (const button of element('items').querySelectorAll('button')) {
    button.setAttribute('aria-pressed', button.dataset.id === String(print.id));
  }
}

// Writes down what one side said, the newest first.
function log(side, name, value) {
  const line = document.createElement('li');
  line.className = side;
  line.textContent = name + ' ' + JSON.stringify(value);
  element('log').prepend(line);
}

// Does work at each tap of a button, which waits until it is done.
function onTap(button, work) {
  button.onclick = async () => {
    button.disabled = true;
    try { await work(); } finally { button.disabled = false; }
  };
}

for (const print of prints) {
  const button = document.createElement('button');
  button.dataset.id = print.id;
  button.innerHTML = picture(print) + '<b>' + print.title + '</b> <span>€' + print.price + '</span>';
  button.onclick = () => {
    show(print);
    element('item').scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  };
  element('items').appendChild(document.createElement('li')).append(button);
}
show(prints[0]);

setupWebViewJavascriptBridge(bridge => {
  // Every answer of this app is {"code": 0, "data": …}; any other code is a failure, with a message.
  const ask = (name, data = {}) => new Promise(done => {
    log('page', name, data);
    bridge.callHandler(name, data, answer => {
      log('app', name, answer);
      done(answer);
    });
  });

  async function showUser() {
    const { code, data, message } = await ask('getUser');
    const isSignedIn = code === 0 && data.nick;
    say('user', isSignedIn ? data.nick + ', ' + data.points + ' points' : message || 'Not signed in');
    element('login').hidden = isSignedIn;
    element('logout').hidden = !isSignedIn;
  }

  async function pay(channel) {
    say('receipt', '');
    say('payment', 'Paying …');
    const order = { orderNo: 'PP-' + Date.now() % 1e6, item: shown.id, price: shown.price, channel };
    const { code, data, message } = await ask('pay', order);
    say('payment', code === 0 ? 'Paid: order ' + data.orderNo : message);
  }

  onTap(element('login'), async () => {
    const { code, message } = await ask('login', { by: 'phone' });
    if (code === 0) await showUser();
    else say('user', message);
  });
  onTap(element('logout'), () => ask('logout').then(showUser));
  onTap(element('payByCard'), () => pay('card'));
  onTap(element('payByChat'), () => pay('chat'));
  onTap(element('share'), async () => {
    const { code, data, message } = await ask('share', { title: shown.title, url: 'shop://item/' + shown.id });
    say('shared', code === 0 ? 'Shared with ' + data.with : message);
  });
  onTap(element('locate'), async () => {
    const { code, data, message } = await ask('requestLocation');
    say('place', code === 0 ? 'Sent to ' + data.city + '.' : message);
  });
  // What was scanned comes as a link that the app opens.
  onTap(element('scan'), () => ask('scanQRCode'));

  // What the app says without being asked.
  bridge.registerHandler('onPaid', (data, respond) => {
    log('app', 'onPaid', data);
    say('receipt', 'Receipt ' + data.receipt + ', €' + data.price);
    // Where native wants no answer, there is nobody to respond to.
    respond?.({ code: 0 });
  });
  bridge.registerHandler('onOpenItem', (data, respond) => {
    log('app', 'onOpenItem', data);
    const found = prints.find(print => print.id === data.id);
    if (found) show(found);
    respond?.({ code: found ? 0 : 404 });
  });

  showUser();
});
