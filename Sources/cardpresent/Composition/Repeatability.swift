internal import Determinism
internal import Glibc
internal import Simulator

/// Where time and chance come from: the machine, or a seed.
struct Repeatability: Hashable, Sendable {
    /// nil for the machine's own time and chance.
    var seed: UInt64?
    /// Where chance alone comes from, when time is the machine's.
    private var chance: UInt64?
    /// Whether the RSA keys are those that come with the program, whatever the seed.
    private var hasProgramsKeys = false

    init(seed: UInt64?) { self.seed = seed }

    /// The same in a way that a scenario can have again: with a seed for chance, and the keys that every session has.
    func recorded(chance: UInt64) -> Repeatability {
        var recorded = self
        (recorded.chance, recorded.hasProgramsKeys) = (chance, true)
        return recorded
    }

    static let none = Repeatability(seed: nil)

    var random: any RandomSource { (seed ?? chance).map { SeededRandomSource(seed: $0) } ?? SystemRandomSource() }

    /// The simulated world's RSA keys: those that come with the program, or those of the seed, which are computed in
    /// the first run and kept for the next ones.
    var rsaKeys: TestRSAKeys {
        guard !hasProgramsKeys else { return TestRSAKeys(seed: TestRSAKeys.standardSeed, cache: nil) }
        let cache = TestKeyCache.user { name in getenv(name).map { String(cString: $0) } }
        return TestRSAKeys(seed: seed ?? TestRSAKeys.standardSeed, cache: cache)
    }

    /// The time of a command that uses no reader.
    var time: any TimeSource { seed == nil ? SystemTimeSource() : VirtualTimeSource() }

    /// The clock of a simulated world: it starts now, or where a repeatable run starts, and never makes
    /// anybody wait.
    var virtualTime: VirtualTimeSource {
        guard seed == nil else { return VirtualTimeSource() }
        let system = SystemTimeSource()
        // A whole second, so that two runs with the same chance cross the same seconds.
        let now = Timestamp(milliseconds: system.now().milliseconds / 1000 * 1000)
        return VirtualTimeSource(start: now, offsetSeconds: system.offsetSeconds(at: now))
    }
}
