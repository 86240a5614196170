/// The totals of the lanes against those of an acquirer.
public struct Reconciliation: Hashable, Sendable {
    /// The first and the last day that were compared; nil for all.
    public let (since, until): (String?, String?)
    /// How many totals were compared: those that either side has.
    public let compared: Int
    /// How many lines of the settlement are of other shops or days.
    public let ignored: Int
    /// The captured attempts that no total has.
    public let unreadable: [UnreadableAttempt]
    /// The unknown payments of the lanes, which can explain differences.
    public let unknownPayments: Int64
    /// In order.
    public let differences: [TotalDifference]
}

extension BackOffice {
    /// Compares a settlement with what the lanes took, as far as the login may see it.
    ///
    /// - Parameters:
    ///   - settlement: the acquirer's.
    ///   - shop: only this shop; nil for all.
    ///   - since: the first day; nil for that of the settlement.
    ///   - until: the last day; nil for that of the settlement.
    /// - Returns: the differences.
    /// - Throws: ``FleetError``, ``FleetError/nothingCompared(lines:)`` when the settlement has lines, and none of them
    ///   is of the shop and the days.
    public func reconcile(
        _ settlement: Settlement, of shop: String? = nil, since: String? = nil, until: String? = nil
    ) async throws(FleetError) -> Reconciliation {
        let since = since ?? settlement.days?.lowerBound
        let until = until ?? settlement.days?.upperBound
        let ours = try await report(of: shop, since: since, until: until)
        let theirs = settlement.totals.filter { key, _ in
            (shop ?? key.shop) == key.shop && (since ?? key.day) <= key.day && key.day <= (until ?? key.day)
        }
        guard settlement.totals.isEmpty || !theirs.isEmpty else {
            throw .nothingCompared(lines: settlement.totals.count)
        }
        let unknown = try await lanes(of: shop).reduce(0) { $0 + $1.unknown }
        return Reconciliation(
            since: since, until: until, compared: Set(ours.totals.keys).union(theirs.keys).count,
            ignored: settlement.totals.count - theirs.count, unreadable: ours.unreadable, unknownPayments: unknown,
            differences: TotalDifference.between(ours.totals, and: theirs))
    }
}
