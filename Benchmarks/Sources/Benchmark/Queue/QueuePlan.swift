import Determinism

/// A simulation of rounds whose batches many workers take from one server, which does one statement at a time.
struct QueuePlan {
    /// The mean time of a session, in seconds. The times of sessions are between a quarter and seven quarters of it.
    let playing: Double
    /// The time of the server for a batch: one half to hand it out, and one to store its result.
    let serving: Double
    /// The time of the coordinator for a session, to plan it and to merge its result.
    var planning = 0.000_05

    /// The rounds to simulate.
    private static let rounds = 3

    /// What a worker does next, and when.
    private struct Step {
        var moment: Double
        /// The time of the sessions of its batch; nil when it asks for one.
        var held: Double?
    }

    /// Returns the time of all sessions as a part of the time of all workers.
    func efficiency(workers: Int, round: Int) -> Double {
        let random = SeededRandomSource(seed: 1)
        // As the explorer divides a round.
        let length = min(max(1, round / 32), 16)
        var (clock, played) = (0.0, 0.0)
        for _ in 0..<Self.rounds {
            clock += Double(round) * planning
            var left = round
            var free = clock
            var steps = [Step](repeating: Step(moment: clock, held: nil), count: workers)
            var end = clock
            while let next = steps.indices.min(by: { steps[$0].moment < steps[$1].moment }) {
                let step = steps[next]
                if step.held == nil, left == 0 {
                    steps.remove(at: next)
                    continue
                }
                free = max(free, step.moment) + serving / 2
                guard step.held == nil else {
                    end = max(end, free)
                    steps[next] = Step(moment: free, held: nil)
                    continue
                }
                let count = min(length, left)
                left -= count
                let time = (0..<count).reduce(0) { sum, _ in
                    sum + playing * (0.25 + 1.5 * Double(random.number(in: 0...999_999)) / 1_000_000)
                }
                played += time
                steps[next] = Step(moment: free + time, held: time)
            }
            clock = end
        }
        return played / (clock * Double(workers))
    }
}
