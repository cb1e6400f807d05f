window.title = text => text + '!';
window.told = value => { told.push(value); };

/// A request to the app, as it is answered: status, type, body.
function request(path, isLater = true) {
    const request = new XMLHttpRequest();
    request.open('GET', 'http://rexxar-container/' + path, isLater);
    const found = () => [request.status, request.getResponseHeader('Content-Type'), JSON.parse(request.responseText)];
    request.send();
    return isLater ? new Promise(done => { request.onload = () => done(found()); }) : found();
}

const early = request('Shop/pay?n=1&_rexxar_method=POST');
report({
    early: () => early,
    fetched: () => fetch('https://rexxar-container/Shop/pay?_rexxar_method=POST&n=2').then(answer => answer.json()),
    standing: () => request('App/name', false),
    error: () => request('Shop/fail'),
    missing: () => request('Nobody/nothing'),
    /// The script that answers it is run, which this page's policy forbids.
    widget: () => new Promise(done => {
        addEventListener('securitypolicyviolation', ({ blockedURI }) => done(blockedURI));
        const frame = document.createElement('iframe');
        frame.src = 'douban://rexxar-container/widget/toast?data=' + encodeURIComponent('{"message": "Paid"}');
        document.documentElement.appendChild(frame);
        frame.remove();
    }),
});
