window.title = text => text + '!';
window.told = value => { told.push(value); };
const { callHandler } = window.flutter_inappwebview;
const early = callHandler('Shop/pay', { n: 1 });
const ready = new Promise(done => window.addEventListener('flutterInAppWebViewPlatformReady', () => done('ready')));
report({
    early: () => early,
    ready: () => ready,
    several: () => callHandler('list', 'a', 2),
    error: () => failed(callHandler('Shop/fail')),
    missing: async () => String(await callHandler('nobody')),
});
