// Shortcuts (contracts, section 7): `MyApp.share(data, callback)` for every handler of this page. Both may be left out,
// and there is a promise for who wants one.
//
// uses pristine: put
// uses calls: promise
for (const object of config.shortcuts || []) {
    const methods = {};
    for (const name of config.names || []) {
        methods[name] = (data, callback) => {
            if (typeof data === 'function') [data, callback] = [undefined, data];
            return promise(name, data, 'shortcut', typeof callback === 'function' && callback);
        };
    }
    put(object, methods);
}
