internal import Synchronization
internal import Yosemite

/// Shows a person how far a synchronisation has come, and lets Ctrl-C end it between two pages.
struct SynchronizationDisplay: Sendable {
    private let what: String
    private let isShown = StandardError.isTerminal

    /// - Parameter what: the plural of what is brought, for example `orders`.
    init(of what: String) { self.what = what }

    /// Runs a synchronisation, which gets what shows its progress.
    ///
    /// - Throws: `CommandFailure`; a cancelled one says how much was kept.
    func watching(
        _ synchronize: (@escaping @Sendable (SynchronizationProgress) -> Void) async throws -> SynchronizationReport,
        onCancel cancel: @escaping @Sendable () -> Void
    ) async throws -> SynchronizationReport {
        let saved = Atomic(0)
        let isShown = isShown
        let what = what
        do {
            let report = try await CancellationSignals.watching {
                try await synchronize { progress in
                    saved.store(progress.saved, ordering: .relaxed)
                    guard isShown else { return }
                    let total = progress.total.map { " of \($0)" } ?? ""
                    StandardError.write("\r\(progress.saved)\(total) \(what)")
                }
            } onSignal: {
                cancel()
            }
            if isShown { StandardError.write("\n") }
            return report
        } catch var failure as CommandFailure {
            if isShown { StandardError.write("\n") }
            let count = saved.load(ordering: .relaxed)
            if failure.code == "cancelled" || count > 0 {
                failure.message += "; \(count) \(what) were brought before that, and are kept"
            }
            throw failure
        }
    }
}
