// Names of native's as members of objects: below `webkit.messageHandlers`, at shortcuts, as global functions. By names
// pages find out where they run, so each is there while something answers it, and no longer.
//
// gives: miss, nameAll, naming, namings, watched
// uses pristine: attempt, Map, wrap
// uses app: define, isInView, tellOnce
// uses interface: parsed
const namings = [];

/// Gives an object the members that a list names, `*` being every name that is answered, from now on. What the page has
/// put there stays, and on `window` `*` hides nothing of the browser's. An element's id is not a name there.
function naming(object, list, make) {
    const made = new Map();
    const own = (object, name) => Reflect.getOwnPropertyDescriptor(object, name);
    const isTaken = name => own(object, name) || object === window && !list.includes(name)
        && (own(Window.prototype, name) || name in EventTarget.prototype);
    const follow = ({ names, absent }) => {
        const wanted = new Set(list.includes('*') ? list.concat(names) : list);
        // No property of an object, but what it inherits from.
        for (const name of ['*', '__proto__'].concat(absent)) wanted.delete(name);
        for (const [name, member] of made) {
            if (wanted.has(name)) continue;
            made.delete(name);
            if ((own(object, name) || {}).value === member) Reflect.deleteProperty(object, name);
        }
        for (const name of wanted) {
            if (made.has(name) || isTaken(name)) continue;
            const value = make(name);
            made.set(name, value);
            define(object, name, value);
        }
    };
    namings.push(follow);
    follow(config);
}

/// Native has other names now.
function nameAll(names) {
    for (const follow of namings) attempt(() => follow(names));
}

/// An object that tells native which names the page has read of it in vain; for the page it is as any other.
function watched(object, title) {
    return new Proxy(object, { get(target, name, receiver) {
        if (!(name in target)) miss(name, title);
        return Reflect.get(target, name, receiver);
    } });
}

function miss(name, title) {
    // Not calls of native's: what `await` and JSON read of any object, and what tools mark objects by.
    if (typeof name !== 'string' || !/^[a-z]/i.test(name) || ['then', 'toJSON'].includes(name)) return;
    tellOnce(title + '.' + name, { missed: name, of: title });
}

// A prompt that no bridge has answered, although only an app can: its bridge is missed.
const { prompt } = window;
if (!isInView) wrap(window, 'prompt', function (text, value) {
    const isCall = /^\s*{/.test(text) && parsed(text) !== text && 'prompt';
    miss(/^gap/.test(value) ? 'cordova' : /^{"clz"/.test(text) ? 'kerkee' : isCall, 'prompt');
    return prompt.apply(window, arguments);
});
