internal import Amounts
internal import StoreSite

extension SiteSetup {
    /// A store in code.
    ///
    /// - Parameters:
    ///   - unpaid: what its orders cost that wait for their payment, in US dollars: `25.00`.
    ///   - faults: what goes wrong with requests, as `POST /*/capture_terminal_payment #1 lost-answer`.
    ///   - orders: how many orders of all kinds it has besides.
    /// - Throws: `MoneyError`, `FaultRuleError`
    public init(unpaid: [String], faults: [String] = [], orders: Int = 0) throws {
        self.init(
            orders: orders, unpaid: try unpaid.map { try Money($0, currency: .usDollar) },
            faults: try faults.map { try FaultRule($0) })
    }
}
