import ArgumentParser
import Determinism
import Networking
import Synchronization
import Yosemite

/// The search text and the number of results to show.
struct SearchOptions: ParsableArguments {
    @Argument(help: "Text to search for.")
    var text: String
    @Option(help: ArgumentHelp("Maximum number of results to show, up to 100.", valueName: "number"))
    private var limit: Int = 25

    func validate() throws {
        try check(limit, in: 1...100, "--limit")
        guard !text.isEmpty else { throw ValidationError("the search text is empty") }
    }

    /// The first page of results.
    var page: PageRequest { PageRequest(size: limit) }

    /// Says on stderr when the store has more results than the page. Writes nothing with `--json`.
    func announceMore<Element>(_ page: Page<Element>, _ output: OutputOptions) {
        guard page.hasNext, !output.json else { return }
        StandardError.note("More results are available. Use --limit to show them.\n")
    }
}

/// The limit of a synchronization.
struct SynchronizationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Maximum number of pages to read, 100 entries each.", valueName: "number"))
    var pages: Int?

    func validate() throws { try checkPositive(pages, "--pages") }
}

/// Shows the progress of a synchronization and lets Ctrl-C stop it between two pages.
struct SynchronizationDisplay: Sendable {
    private let what: String

    /// - Parameter what: The plural of the synced items, for example `orders`.
    init(of what: String) { self.what = what }

    /// Runs a synchronization, passing it a function that shows progress.
    ///
    /// - Throws: `CommandFailure`, which says how many items were saved.
    func watching(
        _ synchronize: (@escaping @Sendable (SynchronizationProgress) -> Void) async throws -> SynchronizationReport,
        onCancel cancel: @escaping @Sendable () -> Void
    ) async throws -> SynchronizationReport {
        let saved = Atomic(0)
        let (line, what) = (ProgressLine(), what)
        defer { line.clear() }
        do {
            return try await CancellationSignals.watching {
                try await synchronize { progress in
                    saved.store(progress.saved, ordering: .relaxed)
                    let part = progress.total.map { $0 > 0 ? Double(progress.saved) / Double($0) : 1 }
                    line.show(
                        "\(progress.saved)" + (progress.total.map { " of \($0)" } ?? "")
                            + " \(what)\(part.map(line.timeLeft) ?? "")")
                }
            } onSignal: {
                cancel()
            }
        } catch var failure as CommandFailure {
            let count = saved.load(ordering: .relaxed)
            if failure.code == "cancelled" || count > 0 {
                failure.message += "; \(count) \(what) were already saved"
            }
            throw failure
        }
    }
}

extension SynchronizationReport {
    /// The result of a synchronization, as JSON.
    private var json: JSONObject {
        [
            // Deleted items no longer exist at the store.
            "saved": saved, "deleted": deleted, "pages": pages,
            // Whether all items were read, not only changed ones, and whether the end of the list was reached.
            "full": isFull, "complete": isComplete,
            // The number of items that could not be decoded, and the locations and errors of the first of them.
            "rejected": rejectedCount, "rejections": rejected.map(\.description),
        ]
    }

    /// Reports the items that were skipped, and writes the result.
    ///
    /// - Throws: `CommandFailure`
    func tell(of what: String, _ output: OutputOptions) throws(CommandFailure) {
        Rejections.tell(rejected)
        if rejectedCount > rejected.count {
            StandardError.write("cardpresent: skipped \(rejectedCount - rejected.count) more\n")
        }
        try output.write(
            json,
            text: "synced \(saved) \(what)" + (deleted > 0 ? ", removed \(deleted)" : "")
                + (isComplete ? "" : "; more remain at the store") + "\n")
    }
}

/// Reports list elements that could not be decoded.
enum Rejections {
    /// Writes a line to stderr for each failure.
    static func tell(_ failures: [some CustomStringConvertible]) {
        for failure in failures { StandardError.write("cardpresent: skipped: \(failure)\n") }
    }

    /// Writes the result of a synchronization: the number of saved elements, and those that could not be decoded.
    ///
    /// - Throws: `CommandFailure`
    static func write(
        saved: Int, _ what: String, _ failures: [DecodingFailure], _ output: OutputOptions
    ) throws(CommandFailure) {
        if !output.json { tell(failures) }
        let json: JSONObject = ["saved": saved, "rejected": failures.map(\.description)]
        try output.write(json, text: "synced \(saved) \(what)\n")
    }
}

/// Text about the age of stored data.
enum Age {
    /// Returns a line about the age; empty when the data is at most 15 minutes old.
    static func text(of what: String, since moment: Timestamp?, now: Timestamp) -> String {
        guard let moment else {
            return "Not all \(what) have been synced. Run 'cardpresent \(what) sync'.\n"
        }
        let minutes = (now.milliseconds - moment.milliseconds) / 60_000
        guard minutes > 15 else { return "" }
        let age =
            switch minutes {
            case ..<120: "\(minutes) minutes"
            case ..<2880: "\(minutes / 60) hours"
            default: "\(minutes / 1440) days"
            }
        return "Synced \(age) ago. Run 'cardpresent \(what) sync' to update.\n"
    }
}
