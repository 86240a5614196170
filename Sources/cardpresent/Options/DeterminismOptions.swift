internal import ArgumentParser
internal import Determinism

/// Where time and chance come from.
struct DeterminismOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Makes a simulated run repeatable: the same number gives the same bytes.",
            discussion: "The clock then starts at 2026-01-02 12:00 UTC and moves only when somebody waits."))
    var seed: UInt64?

    /// The machine's own time and chance.
    static var none: DeterminismOptions {
        var options = DeterminismOptions()
        options.seed = nil
        return options
    }

    var random: any RandomSource { seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource() }

    /// The clock of a simulated world: it starts now, or where a repeatable run starts, and never makes
    /// anybody wait.
    var virtualTime: VirtualTimeSource {
        guard seed == nil else { return VirtualTimeSource() }
        let system = SystemTimeSource()
        let now = system.now()
        return VirtualTimeSource(start: now, offsetSeconds: system.offsetSeconds(at: now))
    }
}
