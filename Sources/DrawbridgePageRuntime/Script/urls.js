// URLs that are meant for native, caught before the browser opens or sends them (contracts, sections 1 to 4). They are
// told by pattern, for browsers do not agree on how to read them.
//
// gives: gatherURLs, openings, sendings
// uses pristine: attempt, fetch, hearAlways, later, listen, MutationObserver, openWindow, origin, Promise, Request, sendBeacon
// uses pristine: setTimeout, tried, unlisten, wrap, xhrHeader, xhrOpen, xhrSend, XMLHttpRequest
// uses channel: connect, flush
// uses app: isInView, tellOfApp
// uses names: miss
// uses asking: prepare
// uses calls: after, flushNow, gather, gathering, gatherings, sign, signature
const schemes = config.schemes || [];
const hint = new RegExp('_mobile_bridge|__jsbridge__|__bridge_loaded__|__wvjb_queue|^(wvjbscheme'
    + schemes.map(scheme => '|' + scheme.replace(/[+.]/g, '\\$&')).join('') + '):', 'i');

/// The parts of a URL (RFC 3986, appendix B); nothing where it is surely not for native.
function partsOf(url) {
    const text = String(url).trim();
    if (!hint.test(text)) return undefined;
    const [, scheme = '', host = '', path, query]
        = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i.exec(text);
    const name = host.toLowerCase().replace(/:\d*$/, '');
    const isOwn = schemes.includes(scheme.toLowerCase());
    // The app hears of them; who answers those that ask for a WebViewJavascriptBridge is seen later.
    if (isInView && (isOwn || !/^__[bw]/.test(name))) {
        if (isOwn || name === '__jsbridge__') tellOfApp(isOwn ? scheme + '://' : 'http://' + name);
        return undefined;
    }
    return { scheme: scheme.toLowerCase(), host, name, path, query, isOwn };
}

/// Bridges that look at a URL, the last of them first: `take(url, parts)` gives the work that it asks for, if it does.
/// Work that `isSignal` says that there is something to fetch; such that `isLoad` is never done early.
const openings = [];

/// What a frame or a link that opens this URL asks of native; nothing where the browser is to open it.
function asked(url) {
    if (!url) return undefined;
    const parts = partsOf(url);
    for (const take of openings) {
        const work = take(String(url), parts);
        if (typeof work === 'function') return work;
    }
    // A scheme that nobody takes may be the app's.
    if (/^(?!http)[a-z][a-z0-9+.-]*:\/\//i.test(url)) miss(String(url).split(':')[0], '://');
}

/// Bridges from outside that look at a request first: `{bridge, take}`, and `take(url)` gives the call, a path that may
/// have a query.
const sendings = [];

/// Where a request goes that is bound for native, and which fields say more of it; nothing for any other.
function bound(url) {
    for (const { bridge, take } of sendings) {
        const call = take(String(url));
        if (call && typeof call === 'string') return { to: origin + '/__jsbridge__/' + call, fields: [['Bridge', bridge]] };
    }
    const to = ownBound(url);
    return to && { to, fields: [] };
}

function ownBound(url) {
    const parts = partsOf(url);
    if (!parts) return undefined;
    const { host, name, path, query, isOwn } = parts;
    const isName = name === '__jsbridge__';
    if (isName || isOwn) {
        const below = isName || name === 'fetch_message' ? '' : '/' + host;
        return origin + '/__jsbridge__' + below + path + (query === undefined ? '' : '?' + query);
    }
    const whole = tried(() => new URL(url, document.baseURI));
    if (!whole) return undefined;
    const { protocol, pathname, search, searchParams } = whole;
    const isBound = searchParams.getAll('_mobile_bridge').includes('1') || /^\/__jsbridge__(\/|$)/.test(pathname);
    if (!isBound || !/^http/.test(protocol)) return undefined;
    return whole.origin === origin ? String(url) : origin + pathname + search;
}

// Frames. A URL for native is kept from the attribute, and remembered. The frame is the page's to add and to remove.
const frameURLs = new WeakMap();
// What is to be done for a URL, in a later task or before the page's next call: `{work, frame, isAdded}`.
let dueURLs = [];
const frames = HTMLIFrameElement.prototype;
const frameSource = Object.getOwnPropertyDescriptor(frames, 'src');
const { setAttribute, getAttribute, removeAttribute } = Element.prototype;

/// True where the URL was meant for native.
function keepFromFrame(frame, url) {
    const work = asked(url);
    if (!work) {
        frameURLs.delete(frame);
        return false;
    }
    frameURLs.set(frame, String(url));
    const due = dueURLs.find(due => due.frame === frame);
    if (due) due.work.push(work);
    else soon({ work: [work], frame });
    return true;
}

/// Does what a URL asked for in a later task; calls that were made before are made before.
function soon(due) {
    gathering(() => {
        gatherings.forEach(attempt);
    });
    dueURLs.push(due);
    later(() => {
        sawChanges(observer.takeRecords());
        if (!dueURLs.includes(due)) return;
        dueURLs = dueURLs.filter(other => other !== due);
        if (isOpened(due)) gathering(() => due.work.forEach(attempt));
    });
}

/// A frame that was not in the document loads nothing in a web view either.
function isOpened({ frame, isAdded }) {
    return !frame || isAdded || frame.isConnected;
}

/// Makes the calls of URLs now. A signal that there is something to fetch holds for what is there now, and stays.
function gatherURLs() {
    sawChanges(observer.takeRecords());
    // What is done may ask for more.
    const done = new Set();
    for (let due; (due = dueURLs.find(due => isOpened(due) && !done.has(due)));) {
        done.add(due);
        const { work } = due;
        due.work = work.filter(({ isLoad, isSignal }) => isLoad || isSignal);
        for (const one of work) if (!one.isLoad) attempt(one);
    }
}

Object.defineProperty(frames, 'src', Object.assign({}, frameSource, {
    get() {
        return frameURLs.get(this) || frameSource.get.call(this);
    },
    set(url) {
        if (!keepFromFrame(this, url)) frameSource.set.call(this, url);
    },
}));
wrap(frames, 'setAttribute', function (name, value) {
    if (!/^src$/i.test(name) || !keepFromFrame(this, value)) setAttribute.apply(this, arguments);
});

function sawFrame(frame) {
    const url = getAttribute.call(frame, 'src');
    if (asked(url)) {
        // From markup.
        removeAttribute.call(frame, 'src');
        keepFromFrame(frame, url);
    } else if (!frameURLs.has(frame)) {
        return;
    } else if (!dueURLs.some(due => due.frame === frame)) {
        // Added once more, it loads once more.
        keepFromFrame(frame, frameURLs.get(frame));
    }
    // It may be removed again before its task comes.
    dueURLs.find(due => due.frame === frame).isAdded = true;
}

function sawChanges(changes) {
    for (const { type, target, addedNodes } of changes) {
        for (const node of type === 'attributes' ? [target] : addedNodes) {
            if (node.localName === 'iframe') sawFrame(node);
            else if (node.firstElementChild) Array.from(node.getElementsByTagName('iframe')).forEach(sawFrame);
        }
    }
}

const observer = new MutationObserver(sawChanges);
observer.observe(document, { childList: true, subtree: true, attributeFilter: ['src'] });

// Links, windows, forms, and where the Navigation API tells of it, `location`.
function instead(event, work) {
    if (!work || event.defaultPrevented || !event.cancelable) return;
    event.preventDefault();
    soon({ work: [work] });
}

/// Hears of an event when the page has had its say: at the last place that it reaches, which is `window`, or wherever
/// the page lets it go no further. Listeners that were added there before run first.
function hearLast(type, hear) {
    hearAlways(window, type, event => {
        const path = event.composedPath();
        const hearHere = now => {
            const isLast = now.eventPhase === now.BUBBLING_PHASE && now.currentTarget === window;
            if (now === event && (isLast || now.cancelBubble)) hear(now);
        };
        const each = change => path.forEach(place => {
            change.call(place, type, hearHere);
            if (place !== window) change.call(place, type, hearHere, true);
        });
        each(listen);
        later(() => each(unlisten));
    }, true);
}

function openLink(event) {
    const link = event.composedPath().find(({ localName }) => localName === 'a' || localName === 'area');
    if (link) instead(event, asked(link.getAttribute('href')));
}

hearLast('click', openLink);
wrap(HTMLAnchorElement.prototype, 'click', function () {
    // Outside of the document nobody else gets the click.
    if (!this.isConnected) this.addEventListener('click', openLink, { once: true });
    HTMLElement.prototype.click.call(this);
});

wrap(window, 'open', function (url) {
    const work = asked(url);
    if (!work) return openWindow.apply(this, arguments);
    soon({ work: [work] });
    return null;
});

/// A form's fields come behind the items of its action.
function askedByForm(form, button) {
    const action = button && button.getAttribute('formaction') || form.getAttribute('action') || '';
    if (!asked(action)) return undefined;
    const fields = Array.from(new FormData(form));
    if (button && button.name) fields.push([button.name, button.value]);
    const query = fields.map(field => field.map(encodeURIComponent).join('='));
    return asked(action + (action.includes('?') ? '&' : '?') + query.join('&'));
}

hearLast('submit', event => instead(event, askedByForm(event.target, event.submitter)));
const { submit } = HTMLFormElement.prototype;
wrap(HTMLFormElement.prototype, 'submit', function () {
    const work = askedByForm(this);
    if (work) soon({ work: [work] });
    else submit.call(this);
});

const { navigation } = window;
if (navigation) {
    navigation.addEventListener('navigate', event => instead(event, asked(event.destination.url)));
    navigation.addEventListener('currententrychange', () => later(flush));
}

// Requests for native stay in the page's origin and say which page they are from. All others are passed on as they are.
const ownRequests = new WeakMap();
wrap(XMLHttpRequest.prototype, 'open', function (method, url) {
    ownRequests.delete(this);
    delete this.responseURL;
    const found = arguments.length > 1 && bound(url);
    if (!found) return xhrOpen.apply(this, arguments);
    const said = asSaid(url, found.to);
    if (said) {
        Object.defineProperty(this, 'responseURL', {
            get() { return this.readyState > 1 && this.status ? said : ''; }, configurable: true,
        });
    }
    xhrOpen.apply(this, Object.assign(Array.from(arguments), { 1: found.to }));
    sign(this, signature().concat(found.fields));
    const isStanding = arguments.length > 2 && !arguments[2];
    ownRequests.set(this, isStanding);
    // Native must not call back into a page that is blocked.
    if (isStanding) xhrHeader.call(this, 'X-Drawbridge-Waits', '1');
});
wrap(XMLHttpRequest.prototype, 'send', function () {
    if (ownRequests.has(this)) {
        gather();
        if (ownRequests.get(this)) flushNow();
        ownRequests.delete(this);
        sign(this, after());
        connectIf(() => this.readyState % 4);
    }
    xhrSend.apply(this, arguments);
});

/// A request that is not answered at once may ask a question, which comes by the channel.
function connectIf(isWaiting) {
    prepare();
    setTimeout(() => isWaiting() && window.origin !== 'null' && connect(), 300);
}

function ask(input, options) {
    const isRequest = input instanceof Request;
    const found = bound(isRequest ? input.url : input);
    if (!found) return fetch.apply(undefined, arguments);
    const { to } = found;
    const said = asSaid(isRequest ? input.url : input, to);
    let isWaiting = true;
    // As the page is now.
    const fields = signature().concat(after(), found.fields);
    return new Promise(resolve => {
        const request = new Request(isRequest ? input : to, options);
        resolve(isRequest && to !== input.url ? moved(request, to) : request);
    }).then(request => {
        for (const [name, value] of fields) request.headers.set('X-Drawbridge-' + name, value);
        connectIf(() => isWaiting);
        // WebKit forgets which signal a request follows when nobody keeps the request.
        const signal = options && options.signal !== undefined ? options.signal : isRequest && input.signal;
        return signal ? fetch(request, { signal }) : fetch(request);
    }).finally(() => { isWaiting = false; }).then(response => (
        said && !response.redirected ? Object.defineProperty(response, 'url', { value: said }) : response));
}
wrap(window, 'fetch', ask);

/// The address that a page has asked for, where it went to another: what the answer says of itself.
function asSaid(url, to) {
    const text = String(url);
    return text === to ? undefined : tried(() => new URL(url, document.baseURI).href.replace(/#.*/, ''), text);
}

/// A request to another URL. Not every browser passes a body on as a stream.
function moved(request, url) {
    const options = {};
    for (const name of ['method', 'headers', 'credentials', 'cache', 'redirect', 'referrer', 'referrerPolicy',
        'integrity', 'keepalive', 'signal']) options[name] = request[name];
    if (/^(GET|HEAD)$/.test(request.method)) return new Request(url, options);
    return request.arrayBuffer().then(body => new Request(url, Object.assign(options, { body })));
}

wrap(Object.getPrototypeOf(navigator), 'sendBeacon', function (url, body) {
    const found = bound(url);
    if (!found) return sendBeacon.apply(this, arguments);
    // A beacon has no header to say which page it is from; what is too long for one, the browser refuses at once.
    if (!('keepalive' in Request.prototype) || new Blob([body]).size > 6e4) return sendBeacon.call(this, found.to, body);
    ask(url, { method: 'POST', body, keepalive: true }).catch(() => {});
    return true;
});
