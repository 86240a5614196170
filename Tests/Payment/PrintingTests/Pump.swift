import TestDoubles

/// Advances the clock whenever a task sleeps for exactly this time.
struct Pump: Sendable {
    private let task: Task<Void, Never>

    init(_ time: ManualTimeSource, _ step: Duration) {
        task = Task {
            while !Task.isCancelled {
                await time.untilTaskSleeps(step)
                time.advance(by: step)
            }
        }
    }

    func stop() { task.cancel() }
}
