internal import ArgumentParser

/// How a command tells its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as JSON.")
    var json = false
}
