/// What became of a repair.
public struct RepairResult: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case done
        /// Nothing was tried.
        case needsRoot
        /// What went wrong; the steps before it were done.
        case failed(String)
    }

    public var check: CheckName
    public var repair: Repair
    public var outcome: Outcome
}
