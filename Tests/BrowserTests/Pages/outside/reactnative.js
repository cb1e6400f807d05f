const hears = [];
window.addEventListener('message', ({ data }) => {
    const message = /^[{[]/.test(data) ? JSON.parse(data) : data;
    if (message.type === 'told') told.push(message.data);
    else if (hears.length) hears[0](message);
});
const send = (message, count) => hearing(hear => {
    hears[0] = hear;
    window.ReactNativeWebView.postMessage(JSON.stringify(message));
}, count);

const early = send({ type: 'Shop/pay', id: 7, n: 1 });
report({
    early: () => early,
    answer: () => send({ action: 'Shop/pay', n: 2 }),
    error: () => send({ type: 'Shop/fail', id: 'a' }),
    errorWithoutId: () => send({ type: 'Shop/fail' }, 0),
    missing: () => send({ type: 'nobody', id: 1 }, 0),
    text: () => hearing(hear => {
        hears[0] = hear;
        window.ReactNativeWebView.postMessage('just text');
    }),
    injected: () => JSON.parse(window.ReactNativeWebView.injectedObjectJson()),
});
