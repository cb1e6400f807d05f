/// The script itself: what it is told, and its modules in one function, the files of the folder `Script`.
///
/// Each says at its top which names it `gives` to others and which it `uses`, and a test compares that with its code.
enum RuntimeScript {
    static let path = "/__drawbridge__/page.js"

    /// The modules in their order: what one needs while it is evaluated, those before it have.
    static let modules: [[UInt8]] = [
        PackageResources.pristine_js,
        PackageResources.channel_js,
        PackageResources.calls_js,
        PackageResources.urls_js,
        PackageResources.wvjb_js,
        PackageResources.queue_js,
        PackageResources.names_js,
        PackageResources.messages_js,
        PackageResources.inject_js,
        PackageResources.shortcuts_js,
        PackageResources.globals_js,
        PackageResources.native_js,
    ]

    private static let body = modules.flatMap(withoutComments) + Array("})();\n".utf8)

    /// A third of the modules are lines for whoever reads them; no line of a text begins so there.
    private static func withoutComments(_ module: [UInt8]) -> [UInt8] {
        module.split(separator: UInt8(ascii: "\n")).filter { line in
            !line.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8)
        }.flatMap { Array($0) + [UInt8(ascii: "\n")] }
    }

    /// The tag for the document at a path.
    static func tag(for path: String, token: String, nonce: String?) -> String {
        let path = Percent.encode(Percent.decode(path[...].utf8) ?? path, keeping: "/")
        let nonce = nonce.map { #" nonce="\#($0)""# } ?? ""
        return
            #"<script src="\#(self.path)?path=\#(path)" data-token="\#(token)"\#(nonce)></script>"#
    }

    /// The script for the page at a path.
    ///
    /// - Parameter configuration: a JSON object.
    static func text(_ configuration: [UInt8]) -> [UInt8] {
        Array("(function () {\n\"use strict\";\nvar config = ".utf8) + configuration + Array(";\n".utf8)
            + body
    }
}
