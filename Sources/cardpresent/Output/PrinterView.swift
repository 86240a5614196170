internal import Hardware

/// A printer as it is listed.
struct PrinterView: Encodable, Sendable {
    var name: String
    /// `queue` or `network`.
    var kind: String
    var isDefault: Bool
    /// `idle`, `processing`, `stopped`; `unreachable` for a network printer that could not be asked; `unknown` for one
    /// that does not say.
    var state: String
    var acceptsJobs: Bool
    var reasons: [String]
    @Nullable var message: String?
    @Nullable var address: String?
    @Nullable var model: String?

    init(_ printer: PrintQueue) {
        (name, kind, isDefault) = (printer.name, printer.kind.rawValue, printer.isDefault)
        (state, acceptsJobs) = (printer.state.rawValue, printer.isAcceptingJobs)
        reasons = printer.reasons.filter { $0 != "none" }
        (message, address, model) = (printer.message, printer.address, printer.model)
    }

    /// A printer that was asked in vain.
    init(_ printer: PrintQueue, unreachable error: PrinterError) {
        self.init(printer)
        state = "unreachable"
        if case .unreachable(_, _, let words) = error { message = words } else { message = error.description }
    }

    /// How it is, for people.
    var condition: String {
        let why = [PrinterReason.words(reasons), message ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        return state + (acceptsJobs ? "" : ", takes no jobs") + (why.isEmpty ? "" : ": " + why)
    }

    var cells: [String] { [isDefault ? "*" : " ", name, condition, address ?? ""] }
}
