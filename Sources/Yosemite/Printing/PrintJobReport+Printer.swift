internal import Hardware
internal import Storage

extension PrintJobReport {
    /// What a printer's side says of a job that was in `state` so far.
    init(_ job: Hardware.PrintJob, after state: PrintJobState) {
        let now: PrintJobState =
            switch job.state {
            // A job that waits again after it was begun may have left paper all the same.
            case .pending, .held: state == .sent ? .sent : .accepted
            case .processing, .stopped: .sent
            case .completed: job.isConfirmed ? .completed : .sent
            case .canceled, .aborted: .failed
            }
        // A printer without a server has all of it by the time that there is a job.
        let isHandedOver = job.id == 0 && !job.state.isFinal
        self.init(
            isHandedOver ? .sent : now, jobID: job.id > 0 ? Int64(job.id) : nil,
            reasons: job.reasons.filter { $0 != "none" }, message: job.message ?? Self.ending(job.state),
            isLastWord: job.isSettled,
            isUnprinted: now == .failed && !job.hasStarted && state != .sent)
    }

    /// How a job ended of which its printer's side says no more.
    private static func ending(_ state: Hardware.PrintJob.State) -> String? {
        switch state {
        case .canceled: "it was cancelled"
        case .aborted: "the print server gave it up"
        case .pending, .held, .processing, .stopped, .completed: nil
        }
    }
}
