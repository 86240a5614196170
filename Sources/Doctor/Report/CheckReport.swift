/// What one check found.
public struct CheckReport: Hashable, Sendable {
    public var name: CheckName
    /// At least one.
    public var findings: [Finding]

    public init(name: CheckName, findings: [Finding]) { (self.name, self.findings) = (name, findings) }

    /// The worst of what was found.
    public var verdict: Verdict { findings.map(\.verdict).max() ?? .skipped }

    /// What does not work because of the first problem; nil when there is none.
    public var trouble: Trouble? { findings.lazy.compactMap(\.trouble).first }
}
