// Bridges from outside the core (the manual: Teaching a bridge). Each is a script element of its own behind this
// one, says by `drawbridge.bridge(…)` how it speaks, and is given `native`: nothing else of what is here.
//
// uses pristine: console, hearAlways, later, Map
// uses channel: post
// uses app: isInView, tellOfApp, unlessApp
// uses interface: nativeFor, version
/// Which bridge has put what.
const owners = new Map(),
    scripts = new Map(config.bridges.map(bridge => ['/__drawbridge__/bridge/' + bridge.name + '.js', bridge]));
/// The bridge of a script's address, which may have a user's name and password.
const at = url => scripts.get(`${url}`.replace(/^.*?(?=\/__)/, ''));

function bridge(traits, make) {
    const current = document.currentScript;
    const found = at(current && current.src);
    if (!found) throw new Error('only scripts of --bridge may call this');
    if (typeof traits === 'function') [traits, make] = [{}, traits];
    if (typeof make !== 'function') return tell(found.name, 'drawbridge.bridge needs a function');
    if (traits.version > version) {
        return tell(found.name, 'it is for version ' + traits.version + ' of native, and this gateway has ' + version);
    }
    const { there = [], late } = traits;
    const names = typeof there === 'function' ? there(found.options) : there;
    // Nobody sees beforehand whether the app answers prompts.
    if (isInView && names.includes('prompt()')) return tellOfApp('prompt()');
    return unlessApp(names, () => {
        const native = nativeFor(found, traits, name => claim(found.name, name));
        make(Object.freeze(Object.assign(native, {
            answerNow(name, data, failed) {
                try {
                    return native.callNow(name, data);
                } catch (error) {
                    console.warn(found.name + ':', name + ':', error.message);
                    return failed;
                }
            },
            text: value => (value === null ? '' : typeof value === 'string' ? value : native.write(value)),
        })));
    }, late);
}

/// Two that claim one name are told of: the page gets what the later one has put.
function claim(own, name) {
    const other = owners.get(name);
    owners.set(name, own);
    if (other && other !== own) tell(own, 'it and the bridge ' + other + ' both put ' + name + '; leave one of them out');
}

function tell(own, message, line) {
    console.error('Drawbridge:', own + '.js:' + (line ? line + ':' : ''), message);
    if (window.origin !== 'null') later(() => post({ bridge: own, message: String(message).slice(0, 1000), line }));
}

hearAlways(window, 'error', ({ filename, lineno, message }) => {
    const { name } = at(filename) || {};
    if (name) tell(name, message, lineno);
});

// The handle goes when the last of them has run: before any script of the page's.
let left = scripts.size;
function close() { delete window.drawbridge; }
for (const type of ['load', 'error']) {
    document.addEventListener(type, ({ target }) => {
        if (!at(target.src) || target.localName !== 'script') return;
        if (type === 'error') tell(at(target.src).name, 'not loaded; the log says why');
        left -= 1;
        if (!left) close();
    }, true);
}
document.addEventListener('DOMContentLoaded', close);
Object.defineProperty(window, 'drawbridge', { value: Object.freeze({ version, bridge }), configurable: true });
