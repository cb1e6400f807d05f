// The page's half of kerkee, as its contract has it.
let queue = [];
const waiting = new Map();
let last = 0;
let taken;
window.ApiBridge = {
    prepareProcessingMessages() { taken = [queue]; queue = []; },
    fetchMessages() { return taken.length ? JSON.stringify(taken.shift()) : ''; },
    onCallback(id, value) { waiting.get(id)(value); },
};
window.title = text => text + '!';
window.told = value => { told.push(value); };
const call = (clz, method, args, count) => hearing(hear => {
    const callbackId = 'c' + ++last;
    waiting.set(callbackId, hear);
    queue.push({ clz, method, args: { ...args, callbackId } });
    const frame = document.createElement('iframe');
    frame.src = 'kcnative://go';
    document.documentElement.appendChild(frame);
    frame.remove();
}, count);

const early = call('Shop', 'pay', { n: 1 });
report({
    early: () => early,
    set: () => call('ApiBridge', 'onBridgeInitComplete', {}),
    error: () => call('Shop', 'fail', {}),
    missing: () => call('Nobody', 'nothing', {}, 0),
    progress: () => call('Shop', 'watch', {}, 3),
});
