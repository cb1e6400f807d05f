import Drawbridge

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Answers with the properties of the device: its system, model, name and language.
///
/// ```
/// curl 'http://127.0.0.1:8080/deviceInfo?_mobile_bridge=1'
/// {"code":200,"data":{"platform":"linux","system":"Linux","systemVersion":"6.1.0",…},"message":""}
/// ```
public struct DeviceInfoHandler: JSONHandler {
    /// The properties of a device.
    public struct Device: Codable, Sendable, Equatable {
        /// `linux`; `ios` or `android` if the gateway is to play a phone.
        public var platform: String
        /// The name of the operating system: `Linux`.
        public var system: String
        /// The version of the operating system: `6.1.0`.
        public var systemVersion: String
        /// The model, or the processor's architecture: `x86_64`.
        public var model: String
        /// The name that the user gave the device, or its host name.
        public var name: String
        /// The user's language as a BCP 47 tag: `en-GB`.
        public var language: String

        /// Makes a device with these properties, for pages that expect a certain one.
        public init(
            platform: String, system: String, systemVersion: String, model: String, name: String,
            language: String
        ) {
            self.platform = platform
            self.system = system
            self.systemVersion = systemVersion
            self.model = model
            self.name = name
            self.language = language
        }
    }

    private let device: Device

    /// Answers with the properties of this machine.
    public init() { self.init(device: .thisMachine) }

    /// Answers with the properties of the given device.
    public init(device: Device) { self.device = device }

    /// Returns the device; the input is ignored.
    public func handle(_ input: Nothing) -> Device { device }
}

extension DeviceInfoHandler.Device {
    /// The properties of the machine on which the gateway runs, from `uname` and the locale.
    public static var thisMachine: Self {
        var names = utsname()
        uname(&names)
        let system = text(names.sysname)
        return Self(
            platform: system.lowercased(), system: system, systemVersion: text(names.release),
            model: text(names.machine), name: text(names.nodename), language: language)
    }

    /// The locale as a language tag: `en-GB` for `en_GB.UTF-8`; `en` for `C`, or if none is set.
    private static var language: String {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { (name: String) in
            getenv(name).map { String(cString: $0) }
        }
        let tag = set.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" } ?? "C"
        return ["C", "POSIX"].contains(tag) ? "en" : tag.split(separator: "_").joined(separator: "-")
    }

    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
