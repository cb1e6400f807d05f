// Inside the real app (the manual: In your app). What is there before the page's first script is the app's, and in a web
// view the URLs are, too: there the app's bridge answers, and ours of the same kind steps aside.
//
// gives: afterApp, define, hasApp, isApps, isInView, put, tellOfApp, tellOnce, unlessApp
// uses pristine: later, loaded, ours, setTimeout
// uses channel: post
/// Whether this is the web view of an app that answers first: a browser may only say that it is one, and a page on the home
/// screen has no app.
const isInView = navigator.vendor.startsWith(config.view || '-') && !navigator.standalone;
/// Whether the app has this: `webkit.messageHandlers.pay`. What the browser has itself is a function of its code, or has a
/// getter; `chrome` alone has not.
function isApps(path) {
    const [first, ...members] = path.split('.');
    let { value } = Reflect.getOwnPropertyDescriptor(window, first) || {};
    for (const member of members) if (!ours.has(value)) value = Object(value)[member];
    return !config.inApp && first !== 'chrome' && Boolean(value) && !ours.has(value)
        && !(typeof value === 'function' && /\[native code/.test(value));
}

/// Tells once who answers: the app, we though this is a web view (`absent`), or the app since nobody can replace
/// what it has (`fixed`).
function tellOfApp(app, state) {
    hasApp = hasApp || !state;
    tellOnce(app, { app, state });
}

/// Whether the app answers anything: by that native does not greet the page.
let hasApp = false;

/// Tells native something that it need not hear twice. A page in a sandbox has no way to say it.
const toldOf = new Set();
function tellOnce(title, message) {
    if (toldOf.has(title) || toldOf.size === 60 || window.origin === 'null') return;
    toldOf.add(title);
    later(() => post(message));
}

/// What the app has not done in half a second, it does not do.
const afterApp = work => loaded.then(() => setTimeout(work, 500));

/// Makes a bridge unless the app has one of these, which it may bring `late`.
function unlessApp(names, begin, isLate) {
    const found = names.find(isApps);
    if (found) return tellOfApp(found);
    if (isInView && isLate) return afterApp(() => unlessApp(names, begin));
    if (isInView && names.length) tellOfApp(names[0], 'absent');
    return begin();
}

/// An ordinary property, so that the page's own of that name wins.
function define(object, name, value, title = name) {
    if (Object(value) === value) ours.add(value);
    const is = { value, writable: true, enumerable: true, configurable: true };
    if (!Reflect.defineProperty(object, name, is)) tellOfApp(title, 'fixed');
}

/// Puts something on `window` as web views do. What the app has put there before the page's first script stays.
function put(name, value) {
    const isFirst = /__drawbridge__/.test(Object(document.currentScript).src);
    if (isFirst && isApps(name)) tellOfApp(name);
    else define(window, name, value);
}
