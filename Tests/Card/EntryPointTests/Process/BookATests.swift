import EMV
import EntryPoint
import Money
import SmartCard
import Testing

/// Cases 2EA of the foreign test list: the reader around Entry Point, Book A.
struct BookATests {
    typealias Kind = TransactionRequest.Kind

    /// An answer of the host with data for the card.
    private static let emvData = OnlineAuthorizationResult.answered(
        IssuerAnswer(authorizationResponseCode: Array("00".utf8), issuerAuthenticationData: bytes("1122334455667788")))
    private static let approval = OnlineAuthorizationResult.answered(
        IssuerAnswer(authorizationResponseCode: Array("00".utf8)))

    /// A card whose kernel asks for the host, with a restart at a start, and approves then.
    private func onlineCard(_ start: String, response: UInt8?, removal: String = "00") -> TestCard {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome("30 \(start) F0 00 00 F0 FF \(removal)", onlineResponse: response)]
        return card
    }

    @Test(arguments: [Int64(10), 75, 45]) func `2EA.001.00: the amount reaches the kernel and the card`(
        amount: Int64
    ) throws {
        var reader = try TestReader()
        try reader.pay(amount)
        let digits = "0000000000\(amount)"
        #expect(reader.activations.values.map { $0.data[0x9F02]?.hexText } == [digits])
        // The card asked for 9F66, 9F02, 9F03, 9C, and 9F37.
        let options = try #require(reader.card.commands.last?.data)
        #expect(options.count == 23 && options[6..<12].map(\.self).hexText == digits)
    }

    @Test(arguments: [("00", Kind.goodsOrServices), ("01", .cash), ("02", .refund)])
    func `2EA.002: amount and type reach the kernel`(suffix: String, kind: Kind) throws {
        var reader = try TestReader()
        try reader.pay(11, kind: kind)
        let data = try #require(reader.activations.values.first?.data)
        #expect(data[0x9F02]?.hexText == "000000000011" && data[0x9C] == [kind.rawValue])
    }

    @Test func `2EA.003.00: amount and cashback reach the kernel`() throws {
        var reader = try TestReader()
        try reader.pay(11, kind: .cashback)
        let data = try #require(reader.activations.values.first?.data)
        #expect(data[0x9F02]?.hexText == "000000000011" && data[0x9F03]?.hexText == "000000000004")
        #expect(data[0x9C] == [0x09])
    }

    @Test func `2EA.004.00: a new transaction is no restart`() throws {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome("70 10 F0 F0 00 F0 FF 00")]
        var reader = try TestReader(card: card)
        try reader.pay()
        #expect(reader.entryPoint.isRestart)
        try reader.handle(.cardDetected)
        try reader.pay()
        #expect(!reader.entryPoint.isRestart)
        #expect(reader.activations.values.map(\.isRestart) == [false, true, false])
    }

    @Test(arguments: ["2EA.005.00", "2EA.005.01"])
    func `2EA.005: without a transaction, the field is off, and the reader is idle`(number: String) throws {
        #expect(
            ContactlessEntryPoint.whenIdle == [.switchFieldOff, .show(UserInterfaceRequest(.welcome, .idle))])
        #expect(try TestReader().entryPoint.phase == .idle)
    }

    @Test(arguments: ["2EA.006.00", "2EA.006.01"])
    func `2EA.006: with a fixed amount, the reader polls at once`(number: String) throws {
        var reader = try TestReader()
        #expect(try reader.begin(autorun: true) == [.show(.presentCard), .poll])
    }

    @Test(arguments: [
        ("2EA.006.02", Kind.goodsOrServices), ("2EA.006.03", .cashback), ("2EA.006.04", .cash),
        ("2EA.006.05", .refund),
    ])
    func `2EA.006: the terminal's data is complete for each type`(number: String, kind: Kind) throws {
        var reader = try TestReader()
        try reader.pay(kind: kind, autorun: true)
        let data = try #require(reader.activations.values.first?.data)
        let tags: [BERTag] = [
            0x9F01, 0x9F15, 0x9F16, 0x9F1A, 0x9F1C, 0x9F1E, 0x9F33, 0x9F35, 0x9F39, 0x9F40, 0x9F4E, 0x9F41, 0x9A,
            0x9F21, 0x9C, 0x5F2A, 0x5F36, 0x9F02, 0x9F03, 0x9F06, 0x9F37,
        ]
        for tag in tags { #expect(data[tag]?.isEmpty == false, "\(tag)") }
        #expect(data[0x9F39] == [0x07])
        #expect(data[0x9A]?.hexText == "261128" && data[0x9F21]?.hexText == "123456")
    }

    @Test func `2EA.007.00: no unpredictable number comes twice in 1000 transactions`() throws {
        var reader = try TestReader()
        for _ in 0..<1000 { try reader.pay() }
        let numbers = reader.activations.values.map { $0.data[0x9F37] }
        #expect(numbers.count == 1000 && Set(numbers).count == 1000)
        #expect(numbers.allSatisfy { $0?.count == 4 })
    }

    @Test(arguments: [
        ("00", ["PPSE", TestCard.mastercard]), ("10", [TestCard.mastercard]), ("20", [TestCard.mastercard]), ("30", []),
    ])
    func `2EA.014.00: data of the issuer restarts at the start that the kernel named`(
        start: String, selected: [String]
    ) throws {
        var reader = try TestReader(card: onlineCard(start, response: 1))
        #expect(try reader.pay().outcomes.map(\.continuation) == [.awaitsHost])
        var actions = try reader.handle(.hostAnswered(Self.emvData))
        if start == "00" || start == "10" {
            #expect(actions == [.show(.presentCard), .poll])
            actions = try reader.handle(.cardDetected)
        }
        #expect(reader.selected.dropFirst(2) == selected[...])
        #expect(reader.activations.values.map(\.onlineResponse) == [nil, Self.emvData])
        #expect(reader.activations.values.last?.selection == nil || start != "30")
        let outcome = try #require(actions.outcomes.first)
        #expect(outcome.followsHostAnswer && outcome.continuation == .ends && outcome.outcome.status == .approved)
    }

    @Test(arguments: ["00", "10", "20", "30"])
    func `2EA.014.00: an answer without data of the issuer ends the transaction`(start: String) throws {
        for answer in [Self.approval, .unableToGoOnline] {
            var reader = try TestReader(card: onlineCard(start, response: 1))
            try reader.pay()
            #expect(try reader.handle(.hostAnswered(answer)) == [.applyHostDecision, .switchFieldOff])
            #expect(reader.entryPoint.phase == .idle && reader.activations.values.count == 1)
        }
    }

    @Test(arguments: ["20", "30"])
    func `2EA.014.01: a card that left gets no command, and the host's answer decides`(start: String) throws {
        var reader = try TestReader(card: onlineCard(start, response: 1, removal: "05"))
        let actions = try reader.pay()
        #expect(actions.last == .watchRemoval(within: .milliseconds(500)) && !actions.contains(.switchFieldOff))
        #expect(try reader.handle(.cardRemoved) == [])
        let commands = reader.card.commands.count
        #expect(try reader.handle(.hostAnswered(Self.emvData)) == [.applyHostDecision, .switchFieldOff])
        #expect(reader.card.commands.count == commands)
    }

    @Test(arguments: ["00", "10"])
    func `2EA.014.01: a card that left can come again where the start polls for it`(start: String) throws {
        var reader = try TestReader(card: onlineCard(start, response: 1, removal: "05"))
        try reader.pay()
        try reader.handle(.cardRemoved)
        #expect(try reader.handle(.hostAnswered(Self.emvData)) == [.show(.presentCard), .poll])
    }

    @Test func `2EA.015.00: a card that stays too long is to be removed`() throws {
        var reader = try TestReader(card: onlineCard("F0", response: nil, removal: "14"))
        #expect(try reader.pay().last == .watchRemoval(within: .seconds(2)))
        #expect(try reader.handle(.removalTimedOut) == [.show(UserInterfaceRequest(.removeCard, .notReady))])
        #expect(try reader.handle(.cardRemoved) == [])
        #expect(try reader.handle(.removalTimedOut) == [])
        #expect(try reader.handle(.hostAnswered(Self.approval)) == [.applyHostDecision, .switchFieldOff])
    }

    @Test(arguments: ["00", "10", "20", "30"], [BookATests.approval, .unableToGoOnline])
    func `2EA.016.00: with any answer, the transaction restarts whatever the host said`(
        start: String, answer: OnlineAuthorizationResult
    ) throws {
        var reader = try TestReader(card: onlineCard(start, response: 2))
        try reader.pay()
        let selectedBefore = reader.selected.count
        try reader.handle(.hostAnswered(answer))
        if reader.entryPoint.phase == .polling { try reader.handle(.cardDetected) }
        #expect(reader.activations.values.last?.onlineResponse == answer)
        #expect(reader.activations.values.count == 2)
        // Without data of the issuer, Start B reads the directory again.
        let again: [String: [String]] = [
            "00": ["PPSE", TestCard.mastercard], "10": ["PPSE", TestCard.mastercard], "20": [TestCard.mastercard],
        ]
        #expect(Array(reader.selected.dropFirst(selectedBefore)) == again[start] ?? [])
    }

    @Test(arguments: [("2EA.017.00", "10 77 33 99 07 44 FF 00"), ("2EA.017.01", "10 F0 00 F0 07 01 FF 00")])
    func `2EA.017: reserved values of an outcome count as absent`(number: String, parameters: String) throws {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome(parameters)]
        var reader = try TestReader(card: card)
        #expect(try reader.pay().outcomes.map(\.outcome) == [ContactlessOutcome(.approved)])
    }

    @Test func `2EA.018.00: data that the flags call absent is left out`() throws {
        let message = TestCard.message("03")
        func outcome(_ flags: String) throws -> ContactlessOutcome? {
            var card = TestCard.standard
            card.outcomes = [
                TestCard.outcome(
                    "10 F0 F0 00 \(flags) F0 FF 00", onOutcome: message, onRestart: message, record: "5F2001AA",
                    discretionary: "9F1001BB")
            ]
            var reader = try TestReader(card: card)
            return try reader.pay().outcomes.first?.outcome
        }
        #expect(try outcome("00") == ContactlessOutcome(.approved, cvm: .noCVM))
        let all = try #require(try outcome("F0"))
        #expect(all.uiOnOutcome == UserInterfaceRequest(.approved, .notReady) && all.uiOnRestart == all.uiOnOutcome)
        #expect(all.dataRecord == SecretDataObject(bytes("5F2001AA")))
        #expect(all.discretionaryData == SecretDataObject(bytes("9F1001BB")))
    }

    @Test(arguments: [("08", true), ("00", false)])
    func `2EA.019.00: a receipt is demanded, or left to the merchant`(flags: String, isDemanded: Bool) throws {
        var card = TestCard.standard
        card.outcomes = [TestCard.outcome("10 F0 F0 10 \(flags) F0 FF 00")]
        var reader = try TestReader(card: card)
        let outcome = try #require(try reader.pay().outcomes.first?.outcome)
        #expect(outcome.demandsReceipt == isDemanded && outcome.cvm == .signature)
    }

    @Test func `2EA.020.00: bytes 00 between data objects are skipped`() throws {
        var card = TestCard.standard
        let padded = bytes("0000") + TestCard.entry(TestCard.mastercard) + bytes("000000")
        let entry = tlv(0x61, bytes("00"), tlv(0x4F, bytes(TestCard.mastercard)), bytes("0000"))
        card.directory = ResponseAPDU(
            data: bytes("00") + TestCard.directory(padded + entry) + bytes("00"), status: .success)
        var reader = try TestReader(card: card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.entryPoint.findings.isEmpty)
    }

    @Test func `2EA.021.00: the order of data objects does not matter`() throws {
        var card = TestCard.standard
        let entry = tlv(
            0x61, tlv(0x9F2A, [2]), tlv(0x87, [1]), tlv(0x50, Array("CARD".utf8)),
            tlv(0x4F, bytes(TestCard.mastercard)))
        card.directory = ResponseAPDU(
            data: tlv(0x6F, tlv(0xA5, tlv(0xBF0C, entry)), tlv(0x84, Array("2PAY.SYS.DDF01".utf8))),
            status: .success)
        var reader = try TestReader(card: card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
    }
}
