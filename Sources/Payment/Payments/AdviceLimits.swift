/// How many advices may wait for a host, and how long. Beyond that, no card may approve a payment offline, because its
/// approval would be one more that the host does not know.
public struct AdviceLimits: Hashable, Sendable {
    /// The most advices that wait; 0 means that no card ever approves offline.
    public var count: Int
    /// The longest time that an advice waits.
    public var age: Duration

    public init(count: Int, age: Duration) { (self.count, self.age) = (count, age) }

    /// Compares what waits for the host with the limits.
    ///
    /// - Parameters:
    ///   - waiting: the number of advices that wait.
    ///   - oldest: how long the oldest of them has waited; nil without one.
    ///   - running: the number of payments that began earlier and have no result, each of which may add one.
    /// - Returns: why no card may approve offline now; nil when one may.
    public func obstacle(waiting: Int, oldest: Duration?, running: Int = 0) -> OfflineObstacle? {
        if waiting >= count { return .advicesWait(waiting, limit: count) }
        if waiting + running >= count { return .paymentsRun(running, waiting: waiting, limit: count) }
        if let oldest, oldest > age { return .adviceIsOld(oldest, limit: age) }
        return nil
    }
}

/// Why a payment goes online, or is declined: no card may approve it offline.
public enum OfflineObstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// As many advices wait for the host as may.
    case advicesWait(Int, limit: Int)
    /// Other tills of the database take payments, each of which may add an advice to those that wait.
    case paymentsRun(Int, waiting: Int, limit: Int)
    /// An advice has waited longer than it may.
    case adviceIsOld(Duration, limit: Duration)

    public var description: String {
        switch self {
        case .advicesWait(let count, let limit):
            limit == 0
                ? "no advice may wait for the host"
                : (count == 1 ? "1 advice waits" : "\(count) advices wait") + " for the host, and at most \(limit) may"
        case .paymentsRun(let running, let waiting, let limit):
            (running == 1 ? "1 other payment" : "\(running) other payments") + " may approve offline now, "
                + (waiting == 1 ? "1 advice waits" : "\(waiting) advices wait")
                + " for the host, and at most \(limit) may"
        case .adviceIsOld(let age, let limit):
            "an advice has waited \(Self.words(age)) for the host, and may wait \(Self.words(limit))"
        }
    }

    private static func words(_ duration: Duration) -> String {
        let minutes = duration.components.seconds / 60
        return switch minutes {
        case ..<120: "\(minutes) min"
        case ..<2880: "\(minutes / 60) h"
        default: "\(minutes / 1440) days"
        }
    }
}
