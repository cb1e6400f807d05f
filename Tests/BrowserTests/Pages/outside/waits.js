const { flutter_inappwebview: flutter, NativeBridge } = window;

const waits = flutter.callHandler('App/never').then(value => ({ value }), ({ message }) => ({ message }));
const heard = [];
const called = new Promise(done => NativeBridge.call('App/never', {}, value => {
    heard.push(value);
    setTimeout(() => done(heard), patience);
}));

report({ document: () => 1 }).then(() => report({
    document: () => 1,
    flutter: () => waits,
    object: () => called,
    again: () => flutter.callHandler('Shop/pay', { n: 2 }),
}));
