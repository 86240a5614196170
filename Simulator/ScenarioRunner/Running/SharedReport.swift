internal import Synchronization

/// A report that several threads add to.
final class SharedReport: Sendable {
    private let report: Mutex<RunReport>

    init(_ report: RunReport) { self.report = Mutex(report) }

    func add(_ result: ScenarioResult) { report.withLock { $0.add(result) } }

    /// The report of a run of so many, some of which may not have been begun.
    func finished(of count: Int) -> RunReport {
        report.withLock { report in
            report.leftOut(count - report.counts.all)
            return report
        }
    }
}
