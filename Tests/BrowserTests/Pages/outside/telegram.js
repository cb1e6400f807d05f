const hears = {};
window.Telegram = { WebView: { receiveEvent(event, data) {
    if (event === 'told') told.push(data);
    else if (hears[event]) hears[event](data);
} } };
const post = (event, data, answer, count) => hearing(hear => {
    hears[answer] = hear;
    window.TelegramWebviewProxy.postEvent(event, JSON.stringify(data));
}, count);

const early = post('web_app_open_popup', { n: 1 }, 'popup_closed');
report({
    early: () => early,
    error: () => post('web_app_open_invoice', {}, 'invoice_closed', 0),
    missing: () => post('web_app_request_phone', {}, 'phone_requested', 0),
    start: () => JSON.parse(sessionStorage.__telegram__initParams).tgWebAppVersion,
});
