// The page's half of kerkee, as its contract has it: for iOS, and by `now` for Android.
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
const call = (clz, method, args, count) => hearing(hear => {
    const callbackId = 'c' + ++last;
    waiting.set(callbackId, hear);
    queue.push({ clz, method, args: { ...args, callbackId } });
    const frame = document.createElement('iframe');
    frame.src = 'kcnative://go';
    document.documentElement.appendChild(frame);
    frame.remove();
}, count);
const now = message => prompt(JSON.stringify(message));

waiting.set('event', value => told.push(value));
now({ clz: 'event', method: 'addEventListener', args: { event: 'told', callbackId: 'event' } });
const early = call('Shop', 'pay', { n: 1 });
const BrowserRequest = XMLHttpRequest;
report({
    early: () => early,
    set: () => call('ApiBridge', 'onBridgeInitComplete', {}),
    error: () => call('Shop', 'fail', {}),
    missing: () => call('Nobody', 'nothing', {}, 0),
    progress: () => call('Shop', 'watch', {}, 3),
    prompted: () => hearing(hear => {
        waiting.set('prompted', hear);
        now({ clz: 'Shop', method: 'pay', args: { n: 2, callbackId: 'prompted' } });
    }),
    now: () => JSON.parse(now({ clz: 'Shop', method: 'pay', args: { n: 3 } })),
    nowMissing: () => now({ clz: 'Nobody', method: 'nothing' }),
    request: async () => {
        const states = [];
        const done = await hearing(hear => {
            const setProperties = state => {
                states.push(state.readyState);
                if (state.readyState === 4) hear([state.status, JSON.parse(state.responseText).data]);
            };
            window.XMLHttpRequest = { setProperties, deleteObject() {} };
            const say = (method, args) => now({ clz: 'XMLHttpRequest', method, args: { id: 1, ...args } });
            say('create');
            say('open', { method: 'POST', url: 'http://__jsbridge__/Shop/pay' });
            say('setRequestHeader', { headerName: 'Content-Type', headerValue: 'application/json' });
            say('send', { data: '{"n": 4}' });
        });
        window.XMLHttpRequest = BrowserRequest;
        return states.concat(done);
    },
});
