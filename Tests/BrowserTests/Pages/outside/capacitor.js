// First what a page has bundled, then what the app's own half does.
const { Capacitor } = window;
const header = name => Capacitor.PluginHeaders.find(plugin => plugin.name === name);
const early = Capacitor.nativePromise('Shop', 'pay', { n: 1 });
Capacitor.nativeCallback('App', 'addListener', { eventName: 'told' }, data => { told.push(data); });

const answers = new Map();
Capacitor.fromNative = result => answers.get(result.callbackId)(result);
let last = 0;
const post = (pluginId, methodName, options, count) => hearing(hear => {
    const callbackId = String(++last);
    answers.set(callbackId, ({ save, success, data, error }) => hear({ save, success, data, error }));
    window.webkit.messageHandlers.bridge.postMessage({ type: 'message', callbackId, pluginId, methodName, options });
}, count);

report({
    early: () => early,
    header: () => header('Shop').methods.filter(({ name }) => name === 'watch' || name === 'pay'),
    error: () => failed(Capacitor.nativePromise('Shop', 'fail', {})),
    missing: () => failed(Capacitor.nativePromise('Shop', 'nobody', {})),
    progress: () => hearing(hear => Capacitor.nativeCallback('Shop', 'watch', {}, hear), 3),
    posted: () => post('Shop', 'pay', { n: 2 }),
    postedError: () => post('Shop', 'fail', {}),
    postedMissing: () => post('Nobody', 'nothing', {}),
    postedProgress: () => post('Shop', 'watch', {}, 3),
    asked: () => prompt('{"type":"CapacitorHttp"}'),
});
