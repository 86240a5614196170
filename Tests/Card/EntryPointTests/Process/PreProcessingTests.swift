import EMV
import EntryPoint
import Money
import SmartCard
import Testing

/// Cases 2EB of the foreign test list: pre-processing, Book B §3.1.1. The suffix of a case is the transaction type.
struct PreProcessingTests {
    typealias Kind = TransactionRequest.Kind

    /// The indicators that the kernel receives; nil if no card was waited for.
    private func indicators(
        _ minorUnits: Int64, _ limits: TestLimits, kind: Kind = .goodsOrServices
    ) throws -> PreProcessingIndicators? {
        var reader = try TestReader(limits)
        guard try reader.begin(minorUnits, kind: kind).contains(.poll) else { return nil }
        try reader.handle(.cardDetected)
        return try #require(reader.activations.values.first).indicators
    }

    private func limits(
        transaction: Int64? = nil, floor: Int64? = nil, terminalFloor: Int64? = nil, cvm: Int64? = nil,
        qualifiers: String? = "B6208000", status: Bool = false, zero: Bool = true
    ) -> TestLimits {
        TestLimits(
            transaction: transaction, floor: floor, terminalFloor: terminalFloor, cvmRequired: cvm,
            qualifiers: qualifiers, checksStatus: status, allowsZeroAmount: zero)
    }

    @Test func `2EB.001.00: a transaction does not inherit the indicators of the one before`() throws {
        var reader = try TestReader()
        try reader.pay(100)
        try reader.pay(10)
        let values = reader.activations.values.map(\.indicators)
        #expect(values.count == 2)
        #expect(values.first?.exceedsFloorLimit == true && values.first?.exceedsCVMLimit == true)
        #expect(values.last?.exceedsFloorLimit == false && values.last?.exceedsCVMLimit == false)
        #expect(values.last?.isStatusCheckRequested == false && values.last?.isZeroAmount == false)
        #expect(values.last?.isNotAllowed == false)
    }

    @Test(arguments: [("B6208000", "B6208000"), ("F72A8A55", "F72A8A55"), ("84C08000", "84008000")])
    func `2EB.002.00: the qualifiers are copied, and their two bits of a transaction cleared`(
        configured: String, expected: String
    ) throws {
        let found = try indicators(10, limits(qualifiers: configured))
        #expect(found?.qualifiers?.bytes.hexText == expected)
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .refund)])
    func `2EB.003: one unit of the currency checks the status`(suffix: String, kind: Kind) throws {
        let found = try indicators(100, limits(status: true), kind: kind)
        #expect(found?.isStatusCheckRequested == true)
        #expect(found?.qualifiers?.bytes.hexText == "B6A08000")
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .cash)])
    func `2EB.004: without the flag, one unit checks nothing`(suffix: String, kind: Kind) throws {
        let found = try indicators(100, limits(status: false), kind: kind)
        #expect(found?.isStatusCheckRequested == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
    }

    @Test(arguments: ["00", "01"]) func `2EB.005: a configuration that leaves the flag out checks nothing`(
        suffix: String
    ) throws {
        let combination = try ReaderCombination(aid: bytes(TestCard.mastercard), kernel: .kernel2)
        let euro = try Money(minorUnits: 100, currency: Currency(code: "EUR"))
        #expect(PreProcessingIndicators(combination, amount: euro).isStatusCheckRequested == false)
    }

    @Test(arguments: ["00", "01"]) func `2EB.006: another amount than one unit checks nothing`(suffix: String) throws {
        let found = try indicators(200, limits(status: true))
        #expect(found?.isStatusCheckRequested == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
        #expect(try indicators(99, limits(status: true))?.isStatusCheckRequested == false)
        #expect(try indicators(101, limits(status: true))?.isStatusCheckRequested == false)
    }

    @Test(arguments: [("JPY", Int64(1)), ("EUR", 100), ("KWD", 1000), ("CLF", 10_000)])
    func `one unit has as many minor units as the currency says`(code: String, minorUnits: Int64) throws {
        let combination = try ReaderCombination(
            aid: bytes(TestCard.mastercard), kernel: .kernel2, checksStatus: true)
        let amount = try Money(minorUnits: minorUnits, currency: Currency(code: code))
        #expect(PreProcessingIndicators(combination, amount: amount).isStatusCheckRequested)
    }

    @Test(arguments: ["00", "01"]) func `2EB.007: where a zero amount is forbidden, only zero is refused`(
        suffix: String
    ) throws {
        #expect(try indicators(0, limits(zero: false)) == nil)
        let found = try indicators(2, limits(zero: false))
        #expect(found?.isNotAllowed == false && found?.isZeroAmount == false)
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .refund)])
    func `2EB.008: where a zero amount is allowed, it is indicated`(suffix: String, kind: Kind) throws {
        #expect(try indicators(0, limits(zero: true), kind: kind)?.isZeroAmount == true)
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .cash)])
    func `2EB.009: a configuration that leaves the flag out allows a zero amount`(suffix: String, kind: Kind) throws {
        let plain = try ReaderCombination(aid: bytes(TestCard.mastercard), kernel: .kernel2)
        var reader = try TestReader([plain])
        try reader.pay(0, kind: kind)
        #expect(reader.activations.values.first?.indicators.isZeroAmount == true)
    }

    @Test(arguments: ["00", "01"]) func `2EB.010: an amount of the transaction limit is not allowed`(
        suffix: String
    ) throws {
        #expect(try indicators(199, limits(transaction: 200)) != nil)
        #expect(try indicators(200, limits(transaction: 200)) == nil)
        #expect(try indicators(300, limits(transaction: 200)) == nil)
    }

    @Test(arguments: [
        ("00", Kind.goodsOrServices, Int64(120)), ("01", .refund, 100), ("02", .cashback, 200),
    ])
    func `2EB.011: an amount below the transaction limit is allowed`(suffix: String, kind: Kind, limit: Int64) throws {
        #expect(try indicators(limit - 1, limits(transaction: limit), kind: kind)?.isNotAllowed == false)
    }

    @Test(arguments: ["00", "01"]) func `2EB.012: without a transaction limit, every amount is allowed`(
        suffix: String
    ) throws {
        #expect(try indicators(999_999_999_999, limits())?.isNotAllowed == false)
    }

    @Test(arguments: [
        ("00", Kind.goodsOrServices, Int64(12)), ("01", .goodsOrServices, 20), ("02", .refund, 50),
    ])
    func `2EB.013: an amount above the floor limit demands an online cryptogram`(
        suffix: String, kind: Kind, limit: Int64
    ) throws {
        let found = try indicators(limit + 1, limits(floor: limit), kind: kind)
        #expect(found?.exceedsFloorLimit == true)
        #expect(found?.qualifiers?.bytes.hexText == "B6A08000")
    }

    @Test(arguments: [
        ("00", Kind.goodsOrServices, Int64(12)), ("01", .goodsOrServices, 20), ("02", .refund, 50),
    ])
    func `2EB.014: an amount of the floor limit does not`(suffix: String, kind: Kind, limit: Int64) throws {
        let found = try indicators(limit, limits(floor: limit, terminalFloor: 1), kind: kind)
        #expect(found?.exceedsFloorLimit == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .cashback)])
    func `2EB.015: without a reader floor limit, the terminal's counts`(suffix: String, kind: Kind) throws {
        #expect(try indicators(26, limits(terminalFloor: 25), kind: kind)?.exceedsFloorLimit == true)
        #expect(try indicators(25, limits(terminalFloor: 25), kind: kind)?.exceedsFloorLimit == false)
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .cash)])
    func `2EB.016: without a floor limit, no amount exceeds it`(suffix: String, kind: Kind) throws {
        let found = try indicators(999_999_999_999, limits(), kind: kind)
        #expect(found?.exceedsFloorLimit == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
    }

    @Test(arguments: [
        ("00", Kind.goodsOrServices, Int64(15), Int64(16)), ("01", .goodsOrServices, 10, 10), ("02", .cash, 20, 21),
        ("02", .cash, 20, 20),
    ])
    func `2EB.017: an amount of the CVM limit demands cardholder verification`(
        suffix: String, kind: Kind, limit: Int64, amount: Int64
    ) throws {
        let found = try indicators(amount, limits(cvm: limit), kind: kind)
        #expect(found?.exceedsCVMLimit == true)
        #expect(found?.qualifiers?.bytes.hexText == "B6608000")
    }

    @Test(arguments: [
        ("00", Kind.goodsOrServices, Int64(15), Int64(14)), ("01", .goodsOrServices, 10, 5), ("02", .refund, 20, 19),
    ])
    func `2EB.018: an amount below the CVM limit does not`(
        suffix: String, kind: Kind, limit: Int64, amount: Int64
    ) throws {
        let found = try indicators(amount, limits(cvm: limit), kind: kind)
        #expect(found?.exceedsCVMLimit == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .goodsOrServices), ("02", .refund)])
    func `2EB.019: without a CVM limit, no amount exceeds it`(suffix: String, kind: Kind) throws {
        let found = try indicators(999_999_999_999, limits(), kind: kind)
        #expect(found?.exceedsCVMLimit == false)
        #expect(found?.qualifiers?.bytes.hexText == "B6208000")
    }

    @Test(arguments: ["00", "01"]) func `2EB.020: a zero amount at a reader with a host demands an online cryptogram`(
        suffix: String
    ) throws {
        #expect(try indicators(0, limits(qualifiers: "84008000"))?.qualifiers?.bytes.hexText == "84808000")
    }

    @Test func `2EB.021.00: an offline-only reader refuses a zero amount`() throws {
        #expect(try indicators(0, limits(qualifiers: "28000000")) == nil)
        #expect(try indicators(1, limits(qualifiers: "28000000")) != nil)
    }

    @Test func `2EB.022.00: when all combinations refuse the amount, another interface is tried without a card`()
        throws
    {
        var reader = try TestReader()
        let actions = try reader.begin(121)
        let message = UserInterfaceRequest(.insertOrSwipeCard, .processingError)
        #expect(actions.messages == [message])
        #expect(actions.outcomes.map(\.outcome) == [ContactlessOutcome(.tryAnotherInterface, uiOnOutcome: message)])
        #expect(actions.last == .switchFieldOff && !actions.contains(.poll))
        #expect(reader.card.commands.isEmpty)
        #expect(reader.entryPoint.phase == .idle)
    }

    @Test func `a refused combination is not offered, the others are`() throws {
        let refused = try TestReader.combination(limits: limits(transaction: 50))
        let allowed = try TestReader.combination(TestCard.visa, .kernel3, limits: limits(transaction: 500))
        let card = TestCard(
            TestCard.entry(TestCard.mastercard, priority: 1), TestCard.entry(TestCard.visa, priority: 2),
            names: TestCard.mastercard, TestCard.visa)
        var reader = try TestReader([refused, allowed], card: card)
        try reader.pay(60)
        #expect(reader.selected == ["PPSE", TestCard.visa])
    }

    @Test func `without configured qualifiers, the kernel gets none`() throws {
        let found = try indicators(13, limits(floor: 12, qualifiers: nil))
        #expect(found?.exceedsFloorLimit == true && found?.qualifiers == nil)
        var reader = try TestReader(limits(qualifiers: nil))
        try reader.pay()
        #expect(reader.activations.values.first?.data[0x9F66] == nil)
    }
}
