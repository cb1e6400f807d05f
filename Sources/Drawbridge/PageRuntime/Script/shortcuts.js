// Shortcuts (contracts, section 7): `MyApp.share(data, callback)` for every handler and reply of this page. Both may be
// left out, and there is a promise for who wants one.
//
// gives: nameShortcuts
// uses pristine: Map, put
// uses calls: promise
const shortcutObjects = (config.shortcuts || []).map(object => {
    const methods = {};
    put(object, methods);
    return methods;
});
const shortcuts = new Map();

/// Puts functions for these names there, and takes away those for others; what the page has put there stays.
function nameShortcuts(names) {
    for (const [name, call] of shortcuts) {
        if (names.includes(name)) continue;
        shortcuts.delete(name);
        for (const methods of shortcutObjects) if (methods[name] === call) delete methods[name];
    }
    for (const name of names) {
        // No property of an object, but what it inherits from.
        if (shortcuts.has(name) || name === '__proto__') continue;
        shortcuts.set(name, (data, callback) => {
            if (typeof data === 'function') [data, callback] = [undefined, data];
            return promise(name, data, 'shortcut', typeof callback === 'function' && callback);
        });
        for (const methods of shortcutObjects) {
            if (!Reflect.getOwnPropertyDescriptor(methods, name)) methods[name] = shortcuts.get(name);
        }
    }
}
nameShortcuts(config.names || []);
