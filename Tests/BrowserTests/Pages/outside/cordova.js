// The page's half of Cordova, as its contract has it.
const calls = new Map();
window.cordova = {
    require: () => ({
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
});
