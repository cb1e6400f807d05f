// URLs that are meant for native, caught before the browser sends or opens them (contracts, sections 1 to 4). They are
// told by pattern, for engines do not agree on how to read them: the hosts `__bridge_loaded__`, `__wvjb_queue_message__`
// and `__jsbridge__`, the path `/__jsbridge__`, the app's own schemes, and the flag `_mobile_bridge=1`.

/// `[whole, scheme, host, path, query]` of a URL, as RFC 3986, appendix B has it.
const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i;
const schemes = config.schemes || [];
const hint = new RegExp('_mobile_bridge|__jsbridge__|__bridge_loaded__|__wvjb_queue|^(' + ['wvjbscheme'].concat(schemes)
    .map(scheme => scheme.replace(/[+.]/g, '\\$&')).join('|') + '):', 'i');

/// What a frame or a link that opens this URL asks of native: something to do, or nothing, and the browser opens it.
function asked(url) {
    const text = String(url).trim();
    if (!hint.test(text)) return undefined;
    const [, scheme = '', host = '', path, query = ''] = parts.exec(text);
    const name = host.toLowerCase().replace(/:\d*$/, '');
    if (name === '__jsbridge__') return () => frameCall(path, query);
    if (schemes.includes(scheme.toLowerCase())) {
        return name === 'fetch_message' ? fetchQueue : () => command(host + path, query);
    }
    if (!/^(https|wvjbscheme)$/i.test(scheme)) return undefined;
    if (name === '__bridge_loaded__') return loadWVJB;
    return name === '__wvjb_queue_message__' ? fetchWVJB : undefined;
}

/// The items of a query as they were meant: a plus stays a plus, and what is no encoding stays as it is.
function items(query) {
    const decode = text => {
        try {
            return decodeURIComponent(text);
        } catch (error) {
            return text;
        }
    };
    const found = {};
    for (const item of query.split('&').filter(Boolean)) {
        const at = (item + '=').indexOf('=');
        found[decode(item.slice(0, at))] = decode(item.slice(at + 1));
    }
    return found;
}

/// Where a request goes that is bound for native: `{url}`, changed or as it was; nothing for any other request.
function bound(url) {
    const text = url.trim();
    if (!hint.test(text)) return undefined;
    const [, scheme = '', host = '', path, query] = parts.exec(text);
    const search = query === undefined ? '' : '?' + query;
    const name = host.toLowerCase().replace(/:\d*$/, '');
    const door = origin + '/__jsbridge__';
    if (name === '__jsbridge__') return { url: door + path + search };
    if (schemes.includes(scheme.toLowerCase())) {
        return { url: door + (name === 'fetch_message' ? '' : '/' + host) + path + search };
    }
    let whole;
    try {
        whole = new URL(url, document.baseURI);
    } catch (error) {
        return undefined;
    }
    if (!/^https?:$/.test(whole.protocol)) return undefined;
    const isFlagged = whole.searchParams.getAll('_mobile_bridge').includes('1');
    if (!isFlagged && !/^\/__jsbridge__(\/|$)/.test(whole.pathname)) return undefined;
    return { url: whole.origin === origin ? url : origin + whole.pathname + whole.search };
}

// Frames. A bridge URL is kept from the attribute and remembered for the page; the frame itself is the page's to add
// and to remove, also in the same task.
const frameURLs = new WeakMap();
// What is to be done for a frame, in a later task: `{work, isAdded}`.
const dueFrames = new Map();
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
    const due = dueFrames.get(frame);
    if (due) {
        due.work.push(work);
        return true;
    }
    dueFrames.set(frame, { work: [work], isAdded: false });
    later(() => {
        sawChanges(observer.takeRecords());
        const { work, isAdded } = dueFrames.get(frame);
        dueFrames.delete(frame);
        // One that was never in the document loads nothing in a web view either.
        if (isAdded || frame.isConnected) work.forEach(attempt);
    });
    return true;
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
wrap(frames, 'getAttribute', function (name) {
    return /^src$/i.test(name) && frameURLs.get(this) || getAttribute.apply(this, arguments);
});

function sawFrame(frame) {
    const url = getAttribute.call(frame, 'src');
    if (url && asked(url)) {
        // From markup.
        removeAttribute.call(frame, 'src');
        keepFromFrame(frame, url);
    } else if (!frameURLs.has(frame)) {
        return;
    } else if (!dueFrames.has(frame)) {
        // Added once more, it loads once more.
        keepFromFrame(frame, frameURLs.get(frame));
    }
    // It may be removed again before its task comes.
    dueFrames.get(frame).isAdded = true;
}

function sawChanges(changes) {
    for (const { type, target, addedNodes } of changes) {
        if (type === 'attributes') {
            if (target.localName === 'iframe' && asked(getAttribute.call(target, 'src') || '')) sawFrame(target);
            continue;
        }
        for (const node of addedNodes) {
            if (node.localName === 'iframe') sawFrame(node);
            else if (node.firstElementChild) Array.from(node.getElementsByTagName('iframe')).forEach(sawFrame);
        }
    }
}

const observer = new MutationObserver(sawChanges);
observer.observe(document, { childList: true, subtree: true, attributeFilter: ['src'] });

// Links, windows, forms.
function openLink(event) {
    const link = event.composedPath().find(({ localName }) => localName === 'a' || localName === 'area');
    const work = link && !event.defaultPrevented && asked(link.getAttribute('href') || '');
    if (!work) return;
    event.preventDefault();
    later(work);
}

window.addEventListener('click', openLink);
wrap(HTMLAnchorElement.prototype, 'click', function () {
    // Outside of the document nobody else hears the click.
    if (!this.isConnected) this.addEventListener('click', openLink, { once: true });
    HTMLElement.prototype.click.call(this);
});

wrap(window, 'open', (open => function (url) {
    const work = asked(url);
    if (!work) return open.apply(this || window, arguments);
    later(work);
    return null;
})(window.open));

/// What a form asks of native, its fields behind the items of its action.
function askedByForm(form, submitter) {
    const action = submitter && submitter.getAttribute('formaction') || form.getAttribute('action') || '';
    if (!asked(action)) return undefined;
    const fields = Array.from(new FormData(form)).concat(submitter && submitter.name ? [[submitter.name, submitter.value]] : []);
    const query = fields.map(field => field.map(encodeURIComponent).join('=')).join('&');
    return asked(query ? action + (action.includes('?') ? '&' : '?') + query : action);
}

window.addEventListener('submit', event => {
    const work = !event.defaultPrevented && askedByForm(event.target, event.submitter);
    if (!work) return;
    event.preventDefault();
    later(work);
});
wrap(HTMLFormElement.prototype, 'submit', (submit => function () {
    const work = askedByForm(this);
    if (work) later(work);
    else submit.call(this);
})(HTMLFormElement.prototype.submit));

if (window.navigation) {
    navigation.addEventListener('navigate', event => {
        const work = event.cancelable && asked(event.destination.url);
        if (!work) return;
        event.preventDefault();
        later(work);
    });
}

// Requests. Those for native stay in the page's own origin and say which page they are from; every other one is passed
// on with the very arguments that it came with.
wrap(XMLHttpRequest.prototype, 'open', function (method, url) {
    const to = arguments.length > 1 && bound(String(url));
    if (!to) return xhrOpen.apply(this, arguments);
    const input = Array.from(arguments);
    input[1] = to.url;
    xhrOpen.apply(this, input);
    sign(this);
});

wrap(window, 'fetch', function (input, options) {
    const isRequest = input instanceof Request;
    const to = arguments.length && bound(isRequest ? input.url : String(input));
    if (!to) return fetch.apply(undefined, arguments);
    return new Promise(resolve => {
        if (isRequest && to.url !== input.url) resolve(moved(new Request(input, options), to.url));
        else resolve(new Request(isRequest ? input : to.url, options));
    }).then(request => {
        request.headers.set('X-Drawbridge-Page', page);
        request.headers.set('X-Drawbridge-Token', token);
        return fetch(request);
    });
});

/// A request to another URL. Its body is read first, since not every engine passes one on as a stream.
function moved(request, url) {
    const { method, headers, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal } = request;
    const isEmpty = method === 'GET' || method === 'HEAD';
    return (isEmpty ? Promise.resolve() : request.arrayBuffer()).then(body => new Request(url, {
        method, headers, credentials, cache, redirect, referrer, referrerPolicy, integrity, keepalive, signal, body,
    }));
}

wrap(Object.getPrototypeOf(navigator), 'sendBeacon', function (url) {
    const to = arguments.length && bound(String(url));
    if (!to) return sendBeacon.apply(this, arguments);
    return sendBeacon.apply(this, [to.url].concat(Array.from(arguments).slice(1)));
});
