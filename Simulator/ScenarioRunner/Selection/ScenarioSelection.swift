internal import Determinism
internal import ScenarioFormat

/// Which scenarios are run, how often, and in which order.
public struct ScenarioSelection: Hashable, Sendable {
    /// A part of the scenarios, so that several machines share them.
    public struct Shard: Hashable, Sendable {
        /// 1...``count``
        public var number: Int
        /// How many parts there are.
        public var count: Int

        /// Reads `2/5`.
        public init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), (1...10_000).contains(count),
                (1...count).contains(number)
            else { return nil }
            (self.number, self.count) = (number, count)
        }
    }

    /// One run of one scenario.
    public struct Run: Sendable {
        /// With the repetition where there are several: `approve/visa-credit #2`.
        public var name: String
        /// What is run.
        public var found: ScenarioFinder.Found
        public var seed: UInt64
    }

    /// What names must contain or, with a `*` in it, be; nil for any.
    public var filter: String?
    /// Tags of which a scenario must have one; those that begin with `!` it must not have.
    public var tags: [String]
    /// Which part of them; nil for all.
    public var shard: Shard?
    /// What chance is made of where a scenario does not say it. Each repetition has the next number.
    public var seed: UInt64
    /// How often each scenario is run.
    public var repetitions: Int
    /// Whether the order is mixed, by the seed.
    public var isShuffled: Bool

    /// Everything, once, in its order, unless something else is said.
    public init(
        filter: String? = nil, tags: [String] = [], shard: Shard? = nil, seed: UInt64 = 1, repetitions: Int = 1,
        isShuffled: Bool = false
    ) {
        (self.filter, self.tags, self.shard, self.seed) = (filter, tags, shard, seed)
        (self.repetitions, self.isShuffled) = (max(1, repetitions), isShuffled)
    }

    /// What is run of what was found, in order. Every scenario is in exactly one of the shards of the same selection.
    public func runs(of found: [ScenarioFinder.Found]) -> [Run] {
        var runs: [Run] = []
        let chosen = found.filter { fits($0) }
        for repetition in 0..<repetitions {
            for entry in chosen {
                runs.append(
                    Run(
                        name: entry.name + (repetitions > 1 ? " #\(repetition + 1)" : ""), found: entry,
                        seed: (entry.scenario.seed ?? seed) &+ UInt64(repetition)))
            }
        }
        if isShuffled { shuffle(&runs) }
        guard let shard else { return runs }
        return runs.enumerated().filter { $0.offset % shard.count == shard.number - 1 }.map(\.element)
    }

    private func fits(_ found: ScenarioFinder.Found) -> Bool {
        if let filter {
            let fits =
                filter.contains("*") ? TextPattern(filter).matches(found.name) : found.name.contains(filter)
            guard fits else { return false }
        }
        let wanted = tags.filter { !$0.hasPrefix("!") }
        let unwanted = tags.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
        let own = found.scenario.tags
        return (wanted.isEmpty || wanted.contains { own.contains($0) }) && !unwanted.contains { own.contains($0) }
    }

    private func shuffle(_ runs: inout [Run]) {
        let random = SeededRandomSource(seed: seed).stream("order of scenarios")
        for index in runs.indices.dropFirst().reversed() {
            runs.swapAt(index, Int(random.number(in: 0...UInt32(clamping: index))))
        }
    }
}
