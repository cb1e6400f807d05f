// The page's half of DSBridge, as its contract has it.
let lastStub = 0;
window._dsf = { _obs: { cart: { count: () => 2 } } };
window._dsaf = { _obs: {} };
window._handleMessageFromNative = ({ method, callbackId, data }) => {
    const at = method.lastIndexOf('.');
    const own = window._dsf[method] || window._dsf._obs[method.slice(0, at)][method.slice(at + 1)];
    const value = own(...JSON.parse(data));
    window._dsbridge.call('_dsb.returnValue', JSON.stringify({ data: { id: callbackId, data: value, complete: true } }));
};
const now = (method, data = null) => JSON.parse(window._dsbridge.call(method, JSON.stringify({ data })));
const later = (method, data, hear) => {
    const _dscbstub = 'dscb' + lastStub++;
    window[_dscbstub] = hear;
    window._dsbridge.call(method, JSON.stringify({ data, _dscbstub }));
};
window._dsf.title = text => text + '!';
window._dsf.told = value => { told.push(value); };
now('_dsb.dsinit');

const early = hearing(hear => later('Shop.pay', { n: 1 }, hear));
report({
    early: () => early,
    answer: () => now('Shop.pay', { n: 2 }),
    later: () => hearing(hear => later('Shop.pay', { n: 3 }, hear)),
    error: () => now('Shop.fail'),
    laterError: () => hearing(hear => later('Shop.fail', {}, hear), 0),
    missing: () => now('nobody'),
    progress: () => hearing(hear => later('Shop.watch', {}, hear), 3),
    forgotten: () => Object.keys(window).filter(name => name.startsWith('dscb')).length,
    has: () => [now('_dsb.hasNativeMethod', { name: 'Shop.pay' }).data, now('_dsb.hasNativeMethod', { name: 'no' }).data],
    prompt: () => JSON.parse(prompt('_dsbridge=Shop.pay', '{"data":{"n":4}}')),
});
