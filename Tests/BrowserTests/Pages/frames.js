// The ways in which a page can send a request by moving itself, a frame or a window; as in ways.js.
'use strict';

/// What a page may read of another.
const read = window => {
    try { return window.document.documentElement.textContent; } catch { return ''; }
};

/// Waits until a frame has loaded what it is made to load; of the empty page that was there WebKit may tell late.
const moved = (frame, move) => new Promise(done => {
    frame.onload = () => { if (place(frame.contentWindow) !== 'about:blank') done(); };
    move();
});

/// Puts a frame into the page, and waits until it has loaded; with nothing in it, it is there at once.
const frame = async (properties, attributes = {}) => {
    const frame = Object.assign(document.createElement('iframe'), properties);
    for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
    const put = () => document.body.append(frame);
    frame.src || frame.srcdoc ? await moved(frame, put) : put();
    return frame;
};

/// Where a window that has loaded is, as far as this page may know: '' for a page of others.
const place = window => {
    try { return window.document.readyState === 'complete' ? window.location.href : null; } catch { return ''; }
};

/// Waits until a window has loaded what is wanted.
const shows = (window, isWanted) => new Promise(done => {
    const look = () => {
        const href = place(window);
        href !== null && isWanted(href) ? done() : setTimeout(look, 20);
    };
    look();
});

/// Waits until a window that began with one page shows another, closes it, and gives what could be read there.
const opened = async (window, first = 'about:blank') => {
    await shows(window, href => href !== first);
    const text = read(window);
    window.close();
    return text;
};

/// Sends a form into a frame of its own.
const form = (method, enctype, properties = {}) => async (url, way) => {
    const target = await frame({name: `frame of ${way}`});
    const form = Object.assign(document.createElement('form'), {method, enctype, target: target.name});
    form.action = url;
    // One that is sent by GET replaces the query of its address.
    const fields = method === 'get' ? new URL(url).searchParams : [['{"a":"', '"}']];
    for (const [name, value] of fields) {
        form.append(Object.assign(document.createElement('input'), {type: 'hidden', name, value}));
    }
    for (const [name, value] of Object.entries(properties)) form.setAttribute(name, value);
    document.body.append(form);
    await moved(target, () => form.submit());
    return read(target.contentWindow);
};

/// Clicks on a link.
const anchor = properties => async url => {
    const link = Object.assign(document.createElement('a'), {textContent: 'x', ...properties(url)});
    document.body.append(link);
    link.click();
};

/// A page that calls by itself and tells its parent what it could read.
const calling = url => `<!doctype html><img src="${escaped(url)}&by=image"><script>
    fetch(${JSON.stringify(url)}).then(x => x.text()).catch(() => '').then(text => parent.postMessage(
        {url: ${JSON.stringify(url)}, text}, '*'));
<\/script>`;

const told = (url, show) => new Promise(done => {
    addEventListener('message', event => { if (event.data.url === url) done(event.data.text); });
    show(calling(url));
});

const moves = {
    'frame': async url => read((await frame({src: url})).contentWindow),
    'object': placed('object', 'data'),
    'embed': placed('embed', 'src'),
    'form GET': form('get', 'application/x-www-form-urlencoded'),
    'form POST': form('post', 'application/x-www-form-urlencoded'),
    'form of parts': form('post', 'multipart/form-data'),
    'form of text': form('post', 'text/plain'),
    'form without referrer': form('post', 'text/plain', {rel: 'noreferrer'}),
    'window': url => opened(window.open(url)),
    'window moved': url => {
        const other = window.open('about:blank');
        other.location.replace(url);
        return opened(other);
    },
    'window without opener': async url => void window.open(url, '_blank', 'noopener,noreferrer'),
    'link': anchor(url => ({href: url, target: '_blank'})),
    'link without referrer': anchor(url => ({href: url, target: '_blank', rel: 'noreferrer'})),
    'ping': anchor(url => ({href: '#', ping: url})),
    'frame moved': async url => {
        const empty = await frame({});
        await moved(empty, () => empty.contentWindow.location = url);
        return read(empty.contentWindow);
    },
    'window back': async url => {
        const own = new URL('service-worker.js', location).href;
        const other = window.open(url);
        await shows(other, href => href !== 'about:blank');
        other.location = own;
        await shows(other, href => href === own);
        other.history.back();
        return opened(other, own);
    },
    'frame refreshed': async url => void await frame({
        srcdoc: `<meta http-equiv="refresh" content="0;url=${escaped(url)}">`,
    }),
    'frame with a document': url => told(url, srcdoc => frame({srcdoc})),
    'frame in a sandbox': url => told(url, srcdoc => frame({srcdoc}, {sandbox: 'allow-scripts'})),
    'frame of data': url => told(url, page => frame({src: 'data:text/html,' + encodeURIComponent(page)})),
    'frame of a blob': url => told(url, page => frame(
        {src: URL.createObjectURL(new Blob([page], {type: 'text/html'}))})),
};
