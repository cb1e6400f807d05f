// Shortcuts (contracts, section 7): `MyApp.share(data, callback)` for every handler and reply of this page. Both may be
// left out, and there is a promise for who wants one.
//
// uses pristine: put
// uses calls: promise
// uses names: naming, watched
for (const object of config.shortcuts || []) {
    const methods = {};
    naming(methods, ['*'], name => (data, callback) => {
        if (typeof data === 'function') [data, callback] = [undefined, data];
        return promise(name, data, 'shortcut', typeof callback === 'function' && callback);
    });
    put(object, watched(methods, object));
}
