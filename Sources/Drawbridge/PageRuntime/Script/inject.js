// Injected functions (contracts, section 6): global functions that are there before the page's first script, and whose
// value is the handler's output. The page stands still meanwhile.
//
// uses channel: ready
// uses calls: callNow
// uses names: naming
const functions = config.inject || [];
// Who names a function of the browser's wants native's in its place.
for (const name of functions) if (!config.absent.includes(name)) Reflect.deleteProperty(window, name);
naming(window, functions, name => ({ [name](...input) {
    ready('function');
    // The one whose first argument is the handler.
    if (name === 'callNative') return callNow(String(input[0]), input[1], 'inject');
    return callNow(name, input, 'inject');
} }[name]));
