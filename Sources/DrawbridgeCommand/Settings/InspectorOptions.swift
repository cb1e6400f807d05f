import ArgumentParser

struct InspectorOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show every call in a browser, by a link that is printed. (default: --inspector)"))
    var inspector: Bool?

    @Option(
        help: ArgumentHelp(
            "The inspector's port on this machine; 0 takes a free one. (default: 0)",
            valueName: "number"))
    var inspectorPort: Int?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let programs write mocks into the file, as the inspector does. (default: --no-save)"))
    var save: Bool?

    func validate() throws {
        guard let inspectorPort, !(0...65535).contains(inspectorPort) else { return }
        throw ValidationError("--inspector-port \(inspectorPort): a port is a number from 0 to 65535")
    }
}
