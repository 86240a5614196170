/// Shows a person how far something has come, on one line of the terminal that is written over. Quiet when nobody is
/// watching.
struct ProgressBar {
    private static let cells = 30

    private let total: Int
    private let what: String
    private let isShown = StandardError.isTerminal
    private var percent = -1

    /// - Parameters:
    ///   - total: how much there is to do.
    ///   - what: the plural of what is done, for example `receipts`.
    init(total: Int, of what: String) { (self.total, self.what) = (total, what) }

    mutating func show(_ done: Int) {
        let reached = total > 0 ? done * 100 / total : 100
        guard isShown, reached != percent else { return }
        percent = reached
        let full = min(Self.cells, reached * Self.cells / 100)
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: Self.cells - full)
        StandardError.write("\r\(bar) \(done) of \(total) \(what)")
    }

    /// Leaves the line.
    func end() { if isShown, percent >= 0 { StandardError.write("\n") } }
}
