import PackagePlugin

/// Gives a target its texts (scripts, pages, descriptions) as constants, `PackageResources.page_js` and so on.
///
/// SwiftPM's own `.embedInCode` writes arrays of bytes, which take the compiler 70 µs each, half a minute for all
/// targets here; a text takes it nothing.
@main struct EmbedText: BuildToolPlugin {
    private static let kinds: Set = ["css", "html", "js", "json", "svg"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let files = (target.sourceModule?.sourceFiles.map(\.url) ?? []).filter {
            Self.kinds.contains($0.pathExtension)
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "PackageResources.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) texts in \(target.name)",
                executable: try context.tool(named: "embed-text").url,
                arguments: [output.path()] + files.map { $0.path() }, inputFiles: files,
                outputFiles: [output])
        ]
    }
}
