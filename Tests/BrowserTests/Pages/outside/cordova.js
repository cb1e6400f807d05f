// The page's half of Cordova, as its contract has it: of the app for iOS and, by `prompt`, of that for Android.
const calls = new Map();
window.cordova = {
    callbacks: {},
    callbackFromNative(id, isSuccess, status, messages, keep) {
        const hear = window.cordova.callbacks[id];
        if (!keep) delete window.cordova.callbacks[id];
        hear({ isSuccess, status, messages, keep: Boolean(keep) });
    },
    require: name => name === 'cordova/base64' ? { toArrayBuffer: text => 'bytes of ' + text } : ({
        nativeCallback(id, status, message, keep) {
            const hear = calls.get(id);
            if (!keep) calls.delete(id);
            hear({ status, message, keep: Boolean(keep) });
        },
    }),
    fireDocumentEvent(name, data) { document.dispatchEvent(Object.assign(new Event(name), { data })); },
};
document.addEventListener('told', ({ data }) => { told.push(data); });
let last = 0;
const exec = (service, action, input, count) => hearing(hear => {
    const id = service + ++last;
    calls.set(id, hear);
    window.webkit.messageHandlers.cordova.postMessage([id, service, action, input]);
}, count);

const android = (service, action, input, count) => hearing(hear => {
    const id = service + ++last;
    window.cordova.callbacks[id] = hear;
    const secret = +prompt('', 'gap_init:3');
    prompt(JSON.stringify(input), 'gap:' + JSON.stringify([secret, service, action, id]));
}, count);

const early = exec('Shop', 'pay', [{ n: 1 }]);
document.dispatchEvent(new Event('deviceready'));
const binary = { CDVType: 'ArrayBuffer', data: btoa('bytes') };
report({
    early: () => early,
    error: () => exec('Shop', 'fail', []),
    missing: () => exec('Nobody', 'nothing', []),
    progress: () => exec('Shop', 'watch', [], 3),
    binary: () => exec('Shop', 'bytes', [binary]),
    left: () => calls.size,
    prompted: () => android('Shop', 'pay', [{ n: 2 }]),
    promptedError: () => android('Shop', 'fail', []),
    promptedMissing: () => android('Nobody', 'nothing', []),
    promptedProgress: () => android('Shop', 'watch', [], 3),
    promptedBinary: () => android('Shop', 'bytes', [{ CDVType: 'MultiPart', messages: [1, binary] }]),
    polled: () => [prompt('0', 'gap_poll:1'), prompt('0', 'gap_bridge_mode:1')],
});
