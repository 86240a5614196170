internal import Determinism
internal import Glibc
internal import Simulator

/// Where time and chance come from: the machine, or a seed.
struct Repeatability: Hashable, Sendable {
    /// nil for the machine's own time and chance.
    var seed: UInt64?

    static let none = Repeatability(seed: nil)

    var random: any RandomSource { seed.map { SeededRandomSource(seed: $0) } ?? SystemRandomSource() }

    /// The simulated world's RSA keys: those that come with the program, or those of the seed, which are computed in
    /// the first run and kept for the next ones.
    var rsaKeys: TestRSAKeys {
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
        let now = system.now()
        return VirtualTimeSource(start: now, offsetSeconds: system.offsetSeconds(at: now))
    }
}
