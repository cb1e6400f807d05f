const { KKJSBridge } = window;
KKJSBridge.on('told', data => { told.push(data); });
const call = (module, method, data, count) => hearing(hear => KKJSBridge.call(module, method, data, hear), count);
const early = call('Shop', 'pay', { n: 1 });
const ready = new Promise(done => document.addEventListener('KKJSBridgeReady', () => done('ready')));
/// With a half of the page's own in the place of the app's.
async function ownHalf() {
    const heard = await hearing(hear => {
        window.KKJSBridge = { _handleMessageFromNative: text => hear(JSON.parse(text)) };
        const message = { module: 'Shop', method: 'pay', data: { n: 4 }, callbackId: 'k1' };
        window.webkit.messageHandlers.KKJSBridgeMessage.postMessage(message);
    });
    window.KKJSBridge = KKJSBridge;
    return heard;
}
report({
    ownHalf,
    early: () => early,
    ready: () => ready,
    now: () => KKJSBridge.syncCall('Shop', 'pay', { n: 2 }),
    nowMissing: () => KKJSBridge.syncCall('Nobody', 'nothing'),
    error: () => call('Shop', 'fail'),
    missing: () => call('Nobody', 'nothing', {}, 0),
    progress: () => call('Shop', 'watch', {}, 3),
    prompt: () => JSON.parse(prompt('KKJSBridge', JSON.stringify({ module: 'Shop', method: 'pay', data: { n: 3 } }))),
});
