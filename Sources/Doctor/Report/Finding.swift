/// One thing that a check saw, and what it makes of it.
public struct Finding: Hashable, Sendable {
    public var verdict: Verdict
    /// What it is about, for example a reader or a print queue; nil when there is only one such thing.
    public var subject: String?
    /// What was seen.
    public var seen: String
    /// Why it is so, or what follows from it.
    public var cause: String?
    /// What to type, or else to do.
    public var fix: String?
    /// What ``Repairer`` does about it; nil where only a person can do something.
    public var repair: Repair?
    /// What does not work; nil unless the verdict is a problem.
    public var trouble: Trouble?

    public static func skipped(_ seen: String) -> Finding { Finding(verdict: .skipped, seen: seen) }

    public static func ok(about subject: String? = nil, _ seen: String) -> Finding {
        Finding(verdict: .ok, subject: subject, seen: seen)
    }

    public static func warning(
        about subject: String? = nil, _ seen: String, cause: String? = nil, fix: String?, repair: Repair? = nil
    ) -> Finding {
        Finding(verdict: .warning, subject: subject, seen: seen, cause: cause, fix: fix, repair: repair)
    }

    public static func problem(
        _ trouble: Trouble, about subject: String? = nil, _ seen: String, cause: String? = nil, fix: String?,
        repair: Repair? = nil
    ) -> Finding {
        Finding(
            verdict: .problem, subject: subject, seen: seen, cause: cause, fix: fix, repair: repair, trouble: trouble)
    }

    /// The same as a warning, for somebody whom it does not keep from working.
    var softened: Finding {
        guard verdict == .problem else { return self }
        var warning = self
        (warning.verdict, warning.trouble) = (.warning, nil)
        return warning
    }
}
