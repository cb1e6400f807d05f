import ArgumentParser

struct SavingOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp("Let programs write replies into the file. (default: --no-save)"))
    var save: Bool?
}
