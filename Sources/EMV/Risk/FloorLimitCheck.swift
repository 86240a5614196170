/// Floor limit and random selection (EMV Book 3 §10.6.1, §10.6.2).
struct FloorLimitCheck {
    /// In minor units
    var amount: Int64
    /// What the same card paid shortly before, in minor units.
    var recentAmount: Int64
    var floorLimit: UInt32
    var randomSelection: RandomSelection
    /// Whether the terminal can go online at all: one that cannot selects nothing by chance.
    var canGoOnline: Bool

    /// Whether the floor limit is reached.
    var isExceeded: Bool {
        let (sum, overflow) = amount.addingReportingOverflow(max(0, recentAmount))
        return overflow || sum >= Int64(floorLimit)
    }

    /// The percentage of such transactions that go online by chance: flat below the threshold, then rising
    /// to the maximum at the floor limit. Nil when chance has no say.
    var percentage: Int? {
        guard canGoOnline, amount < Int64(floorLimit) else { return nil }
        let threshold = Int64(randomSelection.threshold)
        guard amount >= threshold else { return randomSelection.targetPercentage }
        let span = Int64(floorLimit) - threshold
        let rise = Int64(randomSelection.maximumPercentage - randomSelection.targetPercentage)
        return randomSelection.targetPercentage + Int(rise * (amount - threshold) / max(1, span))
    }

    /// Whether chance selects the transaction, by a number of 1...99 drawn at random.
    func isSelected(byNumber number: Int) -> Bool { percentage.map { number <= $0 } ?? false }
}
