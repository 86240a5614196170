internal import Yosemite

/// What a synchronisation did, as JSON and for people.
struct SynchronizationView: Encodable, Sendable {
    var saved: Int
    /// What was stored here and is no more at the store.
    var deleted: Int
    var pages: Int
    /// Whether everything was read, and not only what has changed.
    var full: Bool
    /// Whether the end of the list was reached.
    var complete: Bool
    /// How many could not be read.
    var rejected: Int
    /// Where the first of them stand, and what is wrong.
    var rejections: [String]

    init(_ report: SynchronizationReport) {
        (saved, deleted, pages) = (report.saved, report.deleted, report.pages)
        (full, complete) = (report.isFull, report.isComplete)
        (rejected, rejections) = (report.rejectedCount, report.rejected.map(\.description))
    }

    /// - Throws: `CommandFailure`
    func tell(of what: String, isJSON: Bool) throws(CommandFailure) {
        for rejection in rejections { StandardError.write("cardpresent: not read: \(rejection)\n") }
        if rejected > rejections.count {
            StandardError.write("cardpresent: and \(rejected - rejections.count) more were not read\n")
        }
        guard !isJSON else { return try StandardOutput.write(json: self) }
        var text = "\(saved) \(what) read"
        if deleted > 0 { text += ", \(deleted) forgotten" }
        if !complete { text += "; there are more" }
        try StandardOutput.write(text + "\n")
    }
}
