// flutter_inappwebview: a promise for each call. One argument is the data of the call, several are a list of them.
drawbridge.bridge({ waits: true, there: ['flutter_inappwebview'] }, native => {
    native.put('flutter_inappwebview', {
        callHandler(name, ...values) {
            return native.promise(name, values.length > 1 ? values : values[0]).catch(error => {
                // Nobody has this name: so says the app, too.
                if (error.isMissing) return undefined;
                throw new Error(error.message);
            });
        },
    });
    const isReady = () => window.dispatchEvent(new Event('flutterInAppWebViewPlatformReady'));
    document.addEventListener('DOMContentLoaded', () => native.later(isReady));
});
