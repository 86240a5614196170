/// Lets time go by whenever somebody sleeps who has just this long to go.
struct Pump: Sendable {
    private let task: Task<Void, Never>

    init(_ time: ManualTimeSource, _ step: Duration) {
        task = Task {
            while !Task.isCancelled {
                await time.untilSomebodySleeps(step)
                time.advance(by: step)
            }
        }
    }

    func stop() { task.cancel() }
}
