/// Diagnoses problems with payments and receipts on this machine.
public struct Doctor: Sendable {
    private let checks: [any Check]

    /// - Parameter checks: The checks, in the order in which to run them.
    public init(checks: [any Check]) { self.checks = checks }

    /// Runs the checks one after the other.
    ///
    /// - Parameter names: The checks to run; nil for all.
    /// - Returns: A report for each check.
    public func examine(only names: Set<CheckName>? = nil) async -> [CheckReport] {
        var reports: [CheckReport] = []
        for check in checks where names?.contains(check.name) ?? true {
            reports.append(CheckReport(name: check.name, findings: await check.findings()))
        }
        return reports
    }
}

/// Checks one thing that payments or receipts depend on, without changing anything.
public protocol Check: Sendable {
    var name: CheckName { get }

    /// Runs the check and returns at least one finding.
    func findings() async -> [Finding]
}

/// The checks in the order in which they run, from the machine to the printer. The result of an earlier check often
/// explains that of a later one.
public enum CheckName: String, Hashable, Sendable, CaseIterable {
    case libraries
    case configuration
    case database
    case clock
    case usb
    case rules
    case group
    case reader
    case permission
    case owner
    case power
    case answer
    case printer

    /// A description of the check.
    public var purpose: String {
        switch self {
        case .libraries: "Optional libraries are installed."
        case .configuration: "The configuration file is valid."
        case .database: "The database is writable, with enough free space."
        case .clock: "The clock is correct. Certificates and receipts contain dates."
        case .usb: "The kernel supports USB, and device nodes exist."
        case .rules: "The udev rules that give users access to card readers are installed."
        case .group: "The group in the udev rules exists and contains the user."
        case .reader: "A card reader is connected."
        case .permission: "The user may open all card readers."
        case .owner: "No other program or kernel driver uses a card reader."
        case .power: "Power management does not suspend card readers that fail to resume."
        case .answer: "All card readers respond."
        case .printer: "The print server responds, and the receipt printer accepts jobs."
        }
    }
}

/// The findings of one check.
public struct CheckReport: Hashable, Sendable {
    public var name: CheckName
    /// At least one finding.
    public var findings: [Finding]

    /// Takes what a check found, in the order in which it is shown.
    public init(name: CheckName, findings: [Finding]) { (self.name, self.findings) = (name, findings) }

    /// The worst verdict of the findings.
    public var verdict: Verdict { findings.map(\.verdict).max() ?? .skipped }

    /// The part affected by the first problem; nil without one.
    public var trouble: Trouble? { findings.lazy.compactMap(\.trouble).first }
}
