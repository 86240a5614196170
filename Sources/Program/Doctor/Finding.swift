/// One observation of a check, with its verdict.
public struct Finding: Hashable, Sendable {
    public var verdict: Verdict
    /// The subject, for example a reader or print queue; nil when the check has only one.
    public var subject: String?
    /// The observation.
    public var seen: String
    /// The cause or consequence.
    public var cause: String?
    /// The command or action that fixes it.
    public var fix: String?
    /// The repair for ``Repairer``; nil when only the user can fix it.
    public var repair: Repair?
    /// The affected part; nil unless the verdict is a problem.
    public var trouble: Trouble?

    /// Returns the finding of a check that does not apply here; `seen` says why.
    public static func skipped(_ seen: String) -> Finding { Finding(verdict: .skipped, seen: seen) }

    /// Returns the finding that everything is in order; `seen` says what was found.
    public static func ok(about subject: String? = nil, _ seen: String) -> Finding {
        Finding(verdict: .ok, subject: subject, seen: seen)
    }

    /// Returns the finding of something that does not prevent payments, with its cause, its fix, and the repair that
    /// applies the fix.
    public static func warning(
        about subject: String? = nil, _ seen: String, cause: String? = nil, fix: String?, repair: Repair? = nil
    ) -> Finding {
        Finding(verdict: .warning, subject: subject, seen: seen, cause: cause, fix: fix, repair: repair)
    }

    /// Returns the finding of something that must be fixed. `trouble` is the affected part, which decides the exit
    /// code.
    public static func problem(
        _ trouble: Trouble, about subject: String? = nil, _ seen: String, cause: String? = nil, fix: String?,
        repair: Repair? = nil
    ) -> Finding {
        Finding(
            verdict: .problem, subject: subject, seen: seen, cause: cause, fix: fix, repair: repair, trouble: trouble)
    }

    /// The finding as a warning, for users whom the problem does not affect.
    var softened: Finding {
        guard verdict == .problem else { return self }
        var warning = self
        (warning.verdict, warning.trouble) = (.warning, nil)
        return warning
    }
}

/// The verdict of a check, from harmless to bad.
public enum Verdict: String, Hashable, Sendable, CaseIterable, Comparable {
    /// There was nothing to check.
    case skipped
    case ok
    /// Payments work, or this user is not affected.
    case warning
    /// Something does not work until this is fixed.
    case problem

    public static func < (first: Verdict, second: Verdict) -> Bool { first.rank < second.rank }

    private var rank: Int {
        switch self {
        case .skipped: 0
        case .ok: 1
        case .warning: 2
        case .problem: 3
        }
    }
}

/// The part that a problem affects.
public enum Trouble: String, Hashable, Sendable, CaseIterable {
    /// The card reader.
    case reader
    /// Printing.
    case printer
    /// A file with invalid contents.
    case data
    /// A resource of the machine that everything needs.
    case machine
    /// A resource in use by another program; retrying may help.
    case busy
    /// The till configuration.
    case configuration
}
