import EMV
import EntryPoint
import SmartCard
import Testing

/// Cases 2EC of the foreign test list: protocol activation, Book B §3.2.
struct ProtocolActivationTests {
    @Test(arguments: [
        ("2EC.001.01", TransactionRequest.Kind.goodsOrServices), ("2EC.001.02", .cashback), ("2EC.001.03", .cash),
        ("2EC.001.04", .refund),
    ])
    func `2EC.001: Start B without pre-processing has no indicators, and the qualifiers as configured`(
        number: String, kind: TransactionRequest.Kind
    ) throws {
        var limits = TestLimits.standard
        limits.qualifiers = "84C08000"
        var reader = try TestReader(limits)
        try reader.pay(121, kind: kind, autorun: true)
        let activation = try #require(reader.activations.values.first)
        #expect(activation.data[0x9F66]?.hexText == "84C08000" && activation.data[0x9C] == [kind.rawValue])
        let indicators = activation.indicators
        #expect(!indicators.isNotAllowed && !indicators.exceedsFloorLimit && !indicators.exceedsCVMLimit)
        #expect(!indicators.isStatusCheckRequested && !indicators.isZeroAmount)
    }

    @Test func `2EC.001.00: a second transaction at Start B begins the same way`() throws {
        var reader = try TestReader()
        try reader.pay(13)
        try reader.pay(13, autorun: true)
        #expect(reader.activations.values.map(\.indicators.exceedsFloorLimit) == [true, false])
        #expect(reader.activations.values.map { $0.data[0x9F66]?.hexText } == ["B6A08000", "B6208000"])
    }

    @Test func `2EC.002.00: a restart shows the message for a restart`() throws {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome("70 10 F0 F0 40 F0 FF 00", onRestart: TestCard.message("21", "02"))]
        var reader = try TestReader(card: card)
        let actions = try reader.pay()
        #expect(actions.suffix(2) == [.show(UserInterfaceRequest(.presentCardAgain, .readyToRead)), .poll])
    }

    @Test func `2EC.003.00: a restart without a message asks for the card`() throws {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome("70 10 F0 F0 00 F0 FF 00")]
        var reader = try TestReader(card: card)
        #expect(try reader.pay().suffix(2) == [.show(.presentCard), .poll])
        #expect(reader.entryPoint.isRestart)
    }

    @Test func `2EC.004.00, 2EC.005.00: a new transaction asks for the card, and polls`() throws {
        var reader = try TestReader()
        #expect(try reader.begin() == [.show(UserInterfaceRequest(.presentCard, .readyToRead)), .poll])
        #expect(reader.entryPoint.phase == .polling)
    }

    @Test(arguments: ["2EC.006.00", "2EC.007.00"])
    func `2EC.006 and 2EC.007: after a collision, the transaction goes on with one card`(number: String) throws {
        var reader = try TestReader()
        try reader.begin()
        #expect(try reader.handle(.collision) == [.show(UserInterfaceRequest(.presentOneCardOnly, .processingError))])
        #expect(throws: EntryPointError.unexpected(event: "card detected", .collision)) {
            try reader.handle(.cardDetected)
        }
        #expect(
            try reader.handle(.collisionEnded) == [
                .show(UserInterfaceRequest(.presentOneCardOnly, .readyToRead)), .poll,
            ])
        #expect(try reader.handle(.cardDetected).outcomes.map(\.outcome.status) == [.approved])
    }
}
