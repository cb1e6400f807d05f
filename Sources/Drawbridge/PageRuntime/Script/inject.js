// Injected functions (contracts, section 6): global functions that are there before the page's first script, and whose
// value is the handler's output. The page stands still meanwhile.
//
// uses pristine: put
// uses channel: ready
// uses calls: callNow
for (const name of config.inject || []) {
    put(name, { [name](...input) {
        ready('function');
        // The one whose first argument is the handler.
        if (name === 'callNative') return callNow(String(input[0]), input[1], 'inject');
        return callNow(name, input, 'inject');
    } }[name]);
}
