const { webview } = window.chrome;
let hears;
webview.addEventListener('message', ({ data }) => {
    if (Object(data).action === 'told') told.push(data.data);
    else if (hears) hears(data);
});
const send = (message, count) => hearing(hear => {
    hears = hear;
    webview.postMessage(message);
}, count);
const early = webview.hostObjects.Shop.pay({ n: 1 });
report({
    early: () => early,
    now: () => webview.hostObjects.sync.Shop.pay({ n: 2 }),
    error: () => failed(webview.hostObjects.Shop.fail()),
    message: () => send({ action: 'Shop/pay', n: 3 }),
    missing: () => send({ action: 'nobody' }, 0),
});
