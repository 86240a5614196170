/// Finds out why payments or receipts do not work on this machine.
public struct Doctor: Sendable {
    private let checks: [any Check]

    /// - Parameter checks: in the order in which they are to be made.
    public init(checks: [any Check]) { self.checks = checks }

    /// Makes the checks, one after the other.
    ///
    /// - Parameter names: the checks that are wanted; nil for all of them.
    /// - Returns: a report for each.
    public func examine(only names: Set<CheckName>? = nil) async -> [CheckReport] {
        var reports: [CheckReport] = []
        for check in checks where names?.contains(check.name) ?? true {
            reports.append(CheckReport(name: check.name, findings: await check.findings()))
        }
        return reports
    }
}
