import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// How the inspector follows what happens, where the gateway is silent.
@Suite("The inspector's stream in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorStreamTests {
    /// Follows a gateway that takes each request and answers none; all timers are over as soon as nothing else happens.
    private static let following = """
        (async () => {
            const { follow } = await import('/stream.js');
            const { setTimeout, clearTimeout, fetch } = window;
            const end = await new Promise(done => {
                const timers = new Map();
                let number = 0;
                let tries = 0;
                const ring = () => setTimeout(() => {
                    if (timers.size === 0) return done('nothing is waited for');
                    const works = [...timers.values()];
                    timers.clear();
                    for (const work of works) work();
                });
                window.setTimeout = work => (timers.set(++number, work), number);
                window.clearTimeout = number => timers.delete(number);
                window.fetch = (_, { signal }) => new Promise((_, fail) => {
                    if (++tries === 3) return done('opened again');
                    signal.addEventListener('abort', () => fail(signal.reason));
                    ring();
                });
                follow('calls/events', { take() {}, tell: ring, forget() {} });
            });
            Object.assign(window, { setTimeout, clearTimeout, fetch });
            return end;
        })()
        """

    @Test(arguments: Browser.tried) func aStreamThatFailedToOpenIsOpenedAgain(_ browser: Browser) async throws
    {
        let site = try InspectedSite()
        try await DrivenBrowser.drive(browser) { driven in
            // Without a ticket it follows nothing by itself.
            try await driven.open(site.inspector.origin + "/")
            try await driven.expect("document.getElementById('gate').hidden", false)
            #expect(try await driven.evaluate(Self.following) == "opened again")
        }
        await site.stop()
    }
}
