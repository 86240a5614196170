/// How a printer says that it is.
struct PrinterCondition: Hashable, Sendable {
    /// ``PrinterReason``s, the worst first.
    var reasons: [String]

    /// Whether it would print now.
    var isReady: Bool { !reasons.contains { PrinterReason($0).severity == .error } }
}
