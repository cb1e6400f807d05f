// The page's half of Hotwire Native, as its contract has it.
const waiting = new Map();
const registered = new Promise(done => {
    window.nativeBridge = {
        register: done,
        replyWith({ id, event, data }) {
            if (event === 'told') told.push(...data.text ? [data.text] : []);
            else waiting.get(id)(data);
        },
    };
});
const { bridge } = window.webkit.messageHandlers;
let last = 0;
const send = (component, event, data, count) => hearing(hear => {
    const id = String(++last);
    waiting.set(id, hear);
    bridge.postMessage({ id, component, event, data });
}, count);

const early = send('Shop', 'pay', { n: 1 });
bridge.postMessage('ready');
report({
    early: () => early,
    components: async () => (await registered).includes('Shop'),
    error: () => send('Shop', 'fail', {}, 0),
    missing: () => send('Nobody', 'nothing', {}, 0),
    told: () => send('Shop', 'told', {}, 0),
});
