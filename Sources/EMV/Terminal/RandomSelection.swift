/// How many transactions below the floor limit go online by chance (EMV Book 3 §10.6.2).
public struct RandomSelection: Hashable, Sendable {
    /// Amounts below it, in minor units, are selected with the target percentage.
    public let threshold: UInt32
    /// 0...99
    public let targetPercentage: Int
    /// 0...99, not below the target: the percentage for amounts just below the floor limit.
    public let maximumPercentage: Int

    /// - Throws: ``TerminalConfigurationError/randomSelection(target:maximum:)``
    public init(
        threshold: UInt32, targetPercentage: Int, maximumPercentage: Int
    ) throws(TerminalConfigurationError) {
        guard (0...99).contains(targetPercentage), targetPercentage <= maximumPercentage, maximumPercentage <= 99
        else {
            throw .randomSelection(target: targetPercentage, maximum: maximumPercentage)
        }
        self.init(threshold, targetPercentage, maximumPercentage)
    }

    private init(_ threshold: UInt32, _ targetPercentage: Int, _ maximumPercentage: Int) {
        (self.threshold, self.targetPercentage, self.maximumPercentage) =
            (threshold, targetPercentage, maximumPercentage)
    }

    /// No transaction is selected.
    public static let never = RandomSelection(0, 0, 0)
}
