public import Determinism
import ISO8583
import Synchronization

/// Which messages get a fault: those that were asked for, and others at random by the seed.
public final class AcquirerFaultPlan: Sendable {
    private struct State {
        var faults: [AcquirerFault]
        /// The part of the messages about money that get another fault.
        var rate: Double
        /// How often each message came, so that a repeat draws again.
        var seen: [String: Int] = [:]
    }

    private let state: Mutex<State>
    private let random: any RandomSource
    /// The most messages that are counted.
    private static let longestMemory = 100_000

    /// - Parameters:
    ///   - faults: the faults that were asked for. The first one that applies counts.
    ///   - rate: the part of the messages about money that get a fault at random, 0...1.
    ///   - random: the source of the others. What a message gets depends on the seed, its terminal, and its trace
    ///     number, and not on what other connections do.
    public init(_ faults: [AcquirerFault] = [], rate: Double = 0, random: any RandomSource) {
        state = Mutex(State(faults: faults, rate: min(max(rate, 0), 1)))
        self.random = random
    }

    /// Adds a fault behind the others.
    public func add(_ fault: AcquirerFault) { state.withLock { $0.faults.append(fault) } }

    /// Removes all faults, also those at random.
    public func clear() { state.withLock { ($0.faults, $0.rate) = ([], 0) } }

    /// Returns the fault of a message, and counts its use.
    func take(_ request: AcquirerRequest?) -> AcquirerFault? {
        let isAboutMoney = request?.isAboutMoney ?? false
        return state.withLock { state in
            let applies = { (fault: AcquirerFault) in fault.applies(to: request?.kind, isAboutMoney: isAboutMoney) }
            if let place = state.faults.firstIndex(where: applies) {
                if let remaining = state.faults[place].remaining { state.faults[place].remaining = remaining - 1 }
                return state.faults[place]
            }
            guard state.rate > 0, isAboutMoney, let request else { return nil }
            if state.seen.count > Self.longestMemory { state.seen = [:] }
            let name = "\(request.form.type) \(request.key)"
            let number = state.seen[name, default: 0]
            state.seen[name] = number + 1
            let source = random.stream("fault \(name) \(number)")
            guard Double(source.number(in: 0...999_999)) < state.rate * 1_000_000 else { return nil }
            // Not every profile has MACs, and a seed gives the same faults in all of them.
            let kinds = AcquirerFault.Kind.allCases.filter { $0 != .wrongMAC }
            return AcquirerFault(kinds[Int(source.number(in: 0...UInt32(kinds.count - 1)))])
        }
    }
}
