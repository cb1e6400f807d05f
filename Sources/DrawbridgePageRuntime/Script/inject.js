// Injected functions (contracts, section 6): global functions that are there before the page's first script, and whose
// value is the handler's output. The page is blocked meanwhile. Native calls the page's own (section 3), and any by
// which the page answers nothing else.
//
// uses pristine: Promise
// uses app: unlessApp
// uses interface: setUp
setUp(['inject', 'function'], (native, called) => {
    const { inject: functions = [], absent } = native.options;
    for (const name of functions) {
        // Who names a function of the browser's wants native's in its place.
        unlessApp([name], () => absent.includes(name) || Reflect.deleteProperty(window, name));
    }
    native.members(window, functions, name => ({ [name](...input) {
        called.listens();
        // The one whose first argument is the handler.
        if (name === 'callNative') return native.callNow(input[0], input[1]);
        return native.callNow(name, input);
    } }[name]));

    called.voice({
        reports: true,
        when: Promise.resolve(),
        looks: (name, found) => native.global(name, null, found),
        call(name, data, answer) {
            native.global(name, data === undefined ? [] : [].concat(data), outcome => {
                if (!outcome) answer.missing();
                else if (outcome.error === undefined) answer.value(outcome.value);
                else answer.error(outcome.error);
            });
        },
    });
});
