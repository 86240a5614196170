public import Determinism

/// The error of a body that does not end: the world is stuck.
public struct RunQueueError: Error, Hashable, CustomStringConvertible {
    /// Why the world did not go on.
    public enum Reason: Hashable, Sendable {
        /// No task can run, and no event and no end of a wait is planned, so that nothing can move the clock. The body
        /// waits for something that no task of the world does, or for something outside that
        /// ``RunQueue/outside(_:)`` does not know of.
        case nothingPlanned
        /// The clock would have to move beyond this limit.
        case limit(Timestamp)
        /// A task polls without end.
        case endless
    }

    public let reason: Reason
    /// The time of the world; nil without a clock.
    public let moment: Timestamp?
    /// How many tasks wait on a clock of the world.
    public let waitingTasks: Int
    /// Whether the body ended when it was canceled.
    public internal(set) var hasEnded = false

    init(reason: Reason, moment: Timestamp?, waitingTasks: Int) {
        (self.reason, self.moment, self.waitingTasks) = (reason, moment, waitingTasks)
    }

    public var description: String {
        let time = moment.map { " at \($0)" } ?? ""
        let tasks = waitingTasks == 1 ? "1 task waits" : "\(waitingTasks) tasks wait"
        let cause =
            switch reason {
            case .nothingPlanned:
                "no task can run, no task waits for the clock, and no event is planned that moves it (use "
                    + "RunQueue.outside to wait for real time, other threads, or sockets)"
            case .limit(let limit): "no task can run before \(limit); \(tasks) for the clock"
            case .endless: "a task runs again and again without an end; \(tasks) for the clock"
            }
        let end = hasEnded ? "" : "; the body does not end when it is canceled"
        return "the simulation is stuck\(time): \(cause)\(end)"
    }
}
