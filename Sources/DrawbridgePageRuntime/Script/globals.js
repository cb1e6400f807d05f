// What an app calls the browser, and what it puts on `window` apart from its bridges, before the page's first script:
// `window.appInfo`. What is there already, the browser's own above all, stays.
//
// uses pristine: console
// uses app: put
if (config.userAgent) {
    const { prototype } = Navigator;
    const text = config.userAgent.split('{{userAgent}}').join(navigator.userAgent);
    for (const [name, value] of [['userAgent', text], ['appVersion', text.replace(/^Mozilla\//, '')]]) {
        Reflect.defineProperty(prototype, name, { get: () => value, enumerable: true, configurable: true });
    }
    // It says the browser's own name.
    Reflect.deleteProperty(prototype, 'userAgentData');
}
for (const [name, value] of Object.entries(config.globals || {})) {
    if (name in window) console.warn('Drawbridge: the global ' + name + ' is left out; window has one of its own');
    else put(name, value);
}
