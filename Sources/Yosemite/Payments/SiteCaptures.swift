internal import Commands
internal import Determinism
internal import Storage

/// Tells store sites of the payments of their orders, one at a time: of a payment that has just been taken, and of those
/// that no site could be told of before.
struct SiteCaptures: Sendable {
    let journal: PaymentJournal
    let site: PaymentSite?
    let time: any TimeSource
    private let line = CommandQueue()

    init(journal: PaymentJournal, site: PaymentSite?, time: any TimeSource) {
        (self.journal, self.site, self.time) = (journal, site, time)
    }

    /// Tells the site of one payment, and looks again at one that it refused.
    ///
    /// Whoever is cancelled while he waits ends nothing: the site is told to the end.
    func settle(_ id: PaymentID) async throws(JournalError) -> SiteCapture {
        let command = SiteCaptureCommand(payment: id, journal: journal, site: site, time: time)
        let telling = Task { () async -> Result<SiteCapture, JournalError> in
            do throws(QueueFailure<JournalError>) {
                return .success(try await line.run(command, reuse: true))
            } catch {
                switch error {
                case .failed(let error): return .failure(error)
                // Nobody cancels this task; the capture stays as it is.
                case .cancelled: return .failure(.nothingToCapture(id))
                }
            }
        }
        return try await telling.value.get()
    }

    /// Waits until nobody is being told: what comes of it is saved by then.
    func finish() async {
        await Task { _ = try? await line.run(ClosureCommand { () throws(Never) in }) }.value
    }

    /// Tells the site of every payment that it has still to be told of. A site that cannot be reached for one is not
    /// asked for the next.
    func settleOpen() async throws(JournalError) -> CaptureReport {
        var report = CaptureReport()
        var isReachable = true
        for capture in try journal.openCaptures() {
            do throws(JournalError) {
                if isReachable, let site, site.covers(capture, of: try journal.payment(capture.id)) {
                    let after = try await settle(capture.id)
                    isReachable = !after.state.isOpen || after.tries > capture.tries
                }
                report.add(try Payment(capture.id, in: journal))
            } catch {
                report.failed.append(RecoveryReport.Failure(payment: "\(capture.id)", error: error))
            }
        }
        return report
    }
}
