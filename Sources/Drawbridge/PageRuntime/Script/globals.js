// What an app puts on `window` besides its bridges, before the page's first script: `window.appInfo`. What is there
// already, the browser's own above all, stays.
//
// uses pristine: console, put
for (const [name, value] of Object.entries(config.globals || {})) {
    if (name in window) console.warn('Drawbridge: the global ' + name + ' is left out; window has one of its own');
    else put(name, value);
}
