// Telegram's Mini Apps: events in both directions. What native answers to one is the data of the event that the app
// sends then: `web_app_open_popup` is answered by `popup_closed`.
//
// options: launch (what the app is started with, apart from tgWebAppVersion and tgWebAppPlatform)
drawbridge.bridge({ progress: true }, native => {
    const answers = {
        web_app_open_popup: 'popup_closed', web_app_open_invoice: 'invoice_closed',
        web_app_open_scan_qr_popup: 'qr_text_received', web_app_read_text_from_clipboard: 'clipboard_text_received',
        web_app_request_phone: 'phone_requested', web_app_request_theme: 'theme_changed',
        web_app_request_viewport: 'viewport_changed', web_app_request_write_access: 'write_access_requested',
        web_app_invoke_custom_method: 'custom_method_invoked',
    };
    const start = { tgWebAppVersion: '8.0', tgWebAppPlatform: 'ios', tgWebAppThemeParams: '{}', ...native.options.launch };
    if (!sessionStorage.__telegram__initParams) sessionStorage.__telegram__initParams = native.write(start);

    const view = () => Object(window.Telegram).WebView;
    const tell = (event, data) => view() && view().receiveEvent(event, data);
    native.put('TelegramWebviewProxy', {
        postEvent(event, text) {
            const answer = answers[event];
            native.call(event, native.parsed(text), answer && ((error, value) => {
                if (error) console.warn('telegram:', event + ':', error.message);
                else tell(answer, value);
            }));
        },
    });

    native.voice({
        has: () => Boolean(view()),
        call(event, data, answer) {
            if (!view()) return answer.missing();
            tell(event, data);
            answer.value(null);
        },
        hear: tell,
    });
});
