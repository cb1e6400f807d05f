const { WeixinJSBridge } = window;
WeixinJSBridge.on('told', data => { told.push(data); });
const call = (name, data, count) => hearing(hear => WeixinJSBridge.invoke(name, data, hear), count);
const early = call('Shop/pay', { n: 1 });
const ready = new Promise(done => document.addEventListener('WeixinJSBridgeReady', () => done('ready')));
report({
    early: () => early,
    ready: () => ready,
    error: () => call('Shop/fail', {}),
    missing: () => call('nobody', {}),
    progress: () => call('Shop/watch', {}, 3),
});
