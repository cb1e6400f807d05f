extension Page {
    /// The name of a bridge: of a way in which a page and native call each other.
    ///
    /// The page runtime implements the ones below. A page may report others, which are logged and listed unchanged.
    public struct Bridge: RawRepresentable, Hashable, Sendable {
        /// The name as it is in messages and lists: 1 to 32 letters and digits of ASCII, `-` and `_`.
        public let rawValue: String

        /// Makes a name; nil if the text is not a valid name.
        public init?(rawValue: String) {
            guard BridgeName.isOne(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        /// The name in a page's message; nil if there is none.
        package init?(_ said: JSON?) {
            guard let name = said?.stringValue else { return nil }
            self.init(rawValue: name)
        }

        private init(_ name: String) { rawValue = name }

        /// WebViewJavascriptBridge 5 and 6 (contract, section 4).
        public static let wvjb = Bridge("wvjb")
        /// WebViewJavascriptBridge 4.
        public static let wvjb4 = Bridge("wvjb4")
        /// `bridge.handleNativeMsg` (contract, section 5).
        public static let message = Bridge("message")
        /// A global function (contract, sections 3 and 6).
        ///
        /// Every page may have some; ``Page/bridges`` lists it if the page has called a function that native injected.
        public static let function = Bridge("function")
        /// `callOC` and `handleCallback` (contract, section 3), which native cannot call.
        public static let queue = Bridge("queue")

        /// The bridges above, which the page runtime itself gives to pages.
        package static let known: [Bridge] = [.wvjb, .wvjb4, .message, .function, .queue]

        /// A message handler whose `postMessage` gives a promise.
        static let reply = Bridge("reply")
        static let (inject, shortcut) = (Bridge("inject"), Bridge("shortcut"))
        /// A frame or a command whose URL has the host `__jsbridge__`.
        package static let iframe = Bridge("iframe")
    }
}

// How a page that called by a bridge expects to be answered.
extension Page.Bridge {
    /// Whether a call must be answered, since a promise or a function would wait for ever.
    var needsAnswer: Bool { Self.thatNeedAnswers.contains(self) }

    private static let thatNeedAnswers: Set = [reply, inject, shortcut, iframe]

    /// Whether a callback may be called more than once; at other bridges the page drops it after the first answer
    /// (contract, sections 3 to 5), or it is a promise.
    var hearsProgress: Bool { self == .wvjb || self == .shortcut }

    /// Whether the page gets what a synchronous request would get, as one string (contract, section 2).
    var hasEnvelope: Bool { self == .iframe }
}
