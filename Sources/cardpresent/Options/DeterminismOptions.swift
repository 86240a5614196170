internal import ArgumentParser

/// Whether a run can be repeated.
struct DeterminismOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Makes a simulated run repeatable: the same number gives the same bytes.",
            discussion: "The clock then starts at 2026-01-02 12:00 UTC and moves only when somebody waits.",
            valueName: "number"))
    var seed: UInt64?

    var repeatability: Repeatability { Repeatability(seed: seed) }
}
