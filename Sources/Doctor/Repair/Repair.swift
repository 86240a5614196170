public import DeviceAccess

/// Something that may be done without asking: it takes nothing from anybody, ends nobody's program, and doing it twice
/// does no harm.
public struct Repair: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        /// Puts a file in its place. What was there before is kept beside it, with `.old` behind its name.
        case install(InstalledFile)
        /// Writes a value into an attribute of the kernel's.
        case write(String, to: String)
        /// Runs a program, found in the usual places, with these arguments. No shell is involved.
        case run([String])
    }

    /// What it does, in a few words.
    public var purpose: String
    /// In order; a step that fails ends the repair.
    public var steps: [Step]
    /// Whether only root can do it.
    public var needsRoot: Bool

    public init(_ purpose: String, steps: [Step], needsRoot: Bool = true) {
        (self.purpose, self.steps, self.needsRoot) = (purpose, steps, needsRoot)
    }
}
