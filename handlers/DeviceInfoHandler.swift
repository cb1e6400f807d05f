public import Drawbridge

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// Answers with what a page asks about its device.
///
/// ```
/// curl 'http://127.0.0.1:8080/deviceInfo?_mobile_bridge=1'
/// {"code":200,"data":{"platform":"linux","system":"Linux","systemVersion":"6.1.0",…},"message":""}
/// ```
public struct DeviceInfoHandler: JSONHandler {
    /// What a page may know.
    public struct Device: Codable, Sendable, Equatable {
        /// `linux`, or `ios` where a program pretends to be a phone.
        public var platform: String
        /// The name of the system: `Linux`.
        public var system: String
        /// Its version.
        public var systemVersion: String
        /// The kind of machine: `x86_64`.
        public var model: String
        /// The name of this one.
        public var name: String
        /// The language of its user, as a tag: `en-GB`.
        public var language: String

        /// Makes a device of its own, for a page that expects another.
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

    /// Tells about this machine.
    public init() { self.init(device: .thisMachine) }

    /// Tells about a device of your own.
    public init(device: Device) { self.device = device }

    /// Tells what it knows.
    public func handle(_ input: Nothing) -> Device { device }
}

extension DeviceInfoHandler.Device {
    /// What the system says about itself.
    public static var thisMachine: Self {
        var names = utsname()
        uname(&names)
        let system = text(names.sysname)
        return Self(
            platform: system.lowercased(), system: system, systemVersion: text(names.release),
            model: text(names.machine), name: text(names.nodename), language: language)
    }

    /// `en_GB.UTF-8` is `en-GB`; `C` and nothing are English.
    private static var language: String {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { (name: String) in
            getenv(name).map { String(cString: $0) }
        }
        let tag = set.first { !$0.isEmpty }?.prefix { $0 != "." && $0 != "@" } ?? "C"
        return ["C", "POSIX"].contains(tag) ? "en" : tag.split(separator: "_").joined(separator: "-")
    }

    /// A tuple of characters that ends with a zero.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
