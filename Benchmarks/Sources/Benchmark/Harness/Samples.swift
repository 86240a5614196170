/// The measured values, one per round.
struct Samples {
    private(set) var values: [Double] = []

    init(_ values: [Double] = []) { self.values = values }

    mutating func add(_ value: Double) { values.append(value) }

    var minimum: Double { values.min() ?? .nan }
    var maximum: Double { values.max() ?? .nan }

    var median: Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }

    /// Returns the value that this percentage of the values does not exceed.
    func percentile(_ percent: Int) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        return sorted[min(last, sorted.count * percent / 100)]
    }

    /// Divides round by round, so that a slow minute of the machine affects both sides of the quotient.
    static func / (numerators: Samples, denominators: Samples) -> Samples {
        Samples(zip(numerators.values, denominators.values).map { $0 / $1 })
    }

    /// Subtracts value by value, for values that were measured alternately.
    static func - (values: Samples, others: Samples) -> Samples {
        Samples(zip(values.values, others.values).map { $0 - $1 })
    }

    func map(_ transform: (Double) -> Double) -> Samples { Samples(values.map(transform)) }
}

/// Runs `body` and returns how long it took, in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let elapsed = try await ContinuousClock().measure { try await body() }
    let (seconds, attoseconds) = elapsed.components
    return Double(seconds) + Double(attoseconds) * 1e-18
}
