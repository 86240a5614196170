/// Runs programs for repairs.
public protocol CommandRunner: Sendable {
    /// Runs a program to its end.
    ///
    /// - Parameter command: the program's name or path, and its arguments.
    /// - Throws: ``RepairError``
    func run(_ command: [String]) async throws(RepairError)
}
