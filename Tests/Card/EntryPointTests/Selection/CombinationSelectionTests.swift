import EMV
import EntryPoint
import SmartCard
import Testing

/// Cases 2ED of the foreign test list, without those of kernel identifiers: combination selection, Book B §3.3.
struct CombinationSelectionTests {
    private static let issuerData = OnlineAuthorizationResult.answered(
        IssuerAnswer(authorizationResponseCode: Array("00".utf8), scriptsAfterFinal: [bytes("8604 00112233")]))
    private static let noCandidate = UserInterfaceRequest(.useAnotherCard, .readyToRead)
    private let mastercard = TestCard.mastercard
    private let maestro = "A0000000043060"

    /// A reader with Mastercard's two applications.
    private func reader(_ card: TestCard, extended: Bool = true) throws -> TestReader {
        try TestReader(
            [
                try TestReader.combination(mastercard, extended: extended),
                try TestReader.combination(maestro, extended: extended),
            ], card: card)
    }

    private func expectNoCandidate(_ actions: [EntryPointAction]) {
        #expect(actions.suffix(3).first == .show(Self.noCandidate) && actions.last == .switchFieldOff)
        let outcome = ContactlessOutcome(.endApplication, uiOnOutcome: Self.noCandidate)
        #expect(actions.outcomes.map(\.outcome) == [outcome])
        #expect(actions.outcomes.map(\.continuation) == [.ends])
    }

    /// An answer that asks for the host, and for a restart at Start B with its data.
    private let online = TestCard.outcome("30 10 F0 00 00 F0 FF 00", onlineResponse: 1)

    @Test(arguments: [("00", "", "A0000000041010"), ("01", "0102", "A00000000410100102")])
    func `2ED.001: with data of the issuer, Start B selects the former application without the directory`(
        suffix: String, extended: String, name: String
    ) throws {
        var card = TestCard(TestCard.entry(mastercard, extended: extended), names: name)
        card.outcomes = [online]
        var reader = try self.reader(card)
        try reader.pay()
        try reader.handle(.hostAnswered(Self.issuerData))
        #expect(try reader.handle(.cardDetected).outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.selected == ["PPSE", name, name])
        #expect(reader.activations.values.last?.data[0x9F06]?.hexText == name)
    }

    @Test(arguments: [("00", "", "A0000000043060"), ("01", "0A0B", "A00000000430600A0B")])
    func `2ED.002: Start C selects the next candidate without the directory`(
        suffix: String, extended: String, name: String
    ) throws {
        var card = TestCard(
            TestCard.entry(mastercard, priority: 1), TestCard.entry(maestro, priority: 2, extended: extended),
            names: mastercard, name)
        card.outcomes = [TestCard.outcome("50 20 F0 F0 00 F0 FF 00")]
        var reader = try self.reader(card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.selected == ["PPSE", mastercard, name])
    }

    @Test func `2ED.003.00: the directory is selected by its name`() throws {
        var reader = try TestReader()
        try reader.pay()
        #expect(reader.card.commands.first?.bytes.hexText == "00A404000E325041592E5359532E444446303100")
        #expect(reader.card.commands[1].bytes.hexText == "00A4040007A000000004101000")
    }

    @Test func `2ED.003.01: additional data in the directory is skipped`() throws {
        var card = TestCard.standard
        let entry = tlv(
            0x61, tlv(0x4F, bytes(mastercard)), tlv(0x9F3E, [1, 2]), tlv(0x73, bytes("FFFF")), tlv(0xDF01, []))
        card.directory = ResponseAPDU(
            data: tlv(0x42, [1])
                + tlv(
                    0x6F, tlv(0x84, Array("2PAY.SYS.DDF01".utf8)), tlv(0x50, [0x41]),
                    tlv(
                        0xA5, tlv(0x9F38, [0x9A, 3]), tlv(0xBF0C, tlv(0x9F4D, [1, 2]), tlv(0x70, bytes("FF")), entry))),
            status: .success)
        var reader = try TestReader(card: card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.entryPoint.findings.isEmpty)
    }

    @Test(arguments: [UInt16(0x6A82), 0x6283, 0x6A81, 0x6D00])
    func `2ED.004.00: a card without the directory ends the transaction`(status: UInt16) throws {
        var card = TestCard.standard
        card.directory = ResponseAPDU(data: card.directory.data, status: StatusWord(rawValue: status))
        var reader = try TestReader(card: card)
        expectNoCandidate(try reader.pay())
        #expect(reader.entryPoint.findings == [.directoryRefused(StatusWord(rawValue: status))])
    }

    @Test func `2ED.005.00: a directory without an entry ends the transaction`() throws {
        var card = TestCard.standard
        card.directory = ResponseAPDU(data: TestCard.directory([]), status: .success)
        var reader = try TestReader(card: card)
        expectNoCandidate(try reader.pay())
        #expect(reader.entryPoint.findings == [.directory(.missing(0x61, offset: 23))])
    }

    @Test(arguments: [
        ("2ED.007.00", "61064F04A0000000"), ("2ED.007.00", "61134F11A000000004101000000000000000000000"),
        ("2ED.007.01", "61068701015001 41"), ("2ED.007.01", "6100"), ("2ED.007.01", "61024F00"),
    ])
    func `2ED.007: an entry with a bad name, or without one, is skipped, and the good one taken`(
        number: String, bad: String
    ) throws {
        var card = TestCard.standard
        card.directory = ResponseAPDU(
            data: TestCard.directory(bytes(bad) + TestCard.entry(mastercard)), status: .success)
        var reader = try TestReader(card: card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.selected == ["PPSE", mastercard])
        #expect(reader.entryPoint.findings.count == 1)
    }

    @Test func `2ED.008.00: an entry for no application of the reader is skipped`() throws {
        let card = TestCard(
            TestCard.entry("A0000000042203"), TestCard.entry("A00000000410"), TestCard.entry(mastercard),
            names: "A0000000042203", "A00000000410", mastercard)
        var reader = try self.reader(card)
        try reader.pay()
        #expect(reader.selected == ["PPSE", mastercard])
        #expect(reader.entryPoint.findings == [.entryNotSupported(1), .entryNotSupported(2)])
    }

    @Test func `a longer name on the card matches, and is selected in full`() throws {
        let long = mastercard + "010203"
        var reader = try TestReader(card: TestCard(TestCard.entry(long), names: long))
        #expect(try reader.pay().outcomes.first?.aid?.hexText == long)
        #expect(reader.selected == ["PPSE", long])
    }

    @Test func `2ED.013.00: the highest priority is selected first`() throws {
        let card = TestCard(
            TestCard.entry(mastercard, priority: 0x82), TestCard.entry(maestro, priority: 0x01),
            names: mastercard, maestro)
        var reader = try self.reader(card)
        try reader.pay()
        #expect(reader.selected == ["PPSE", maestro])
    }

    @Test func `2ED.014.00: among equal priorities, the first in the directory is selected`() throws {
        let card = TestCard(
            TestCard.entry(maestro, priority: 3), TestCard.entry(mastercard, priority: 3), names: mastercard, maestro)
        var reader = try self.reader(card)
        try reader.pay()
        #expect(reader.selected == ["PPSE", maestro])
    }

    @Test(arguments: [nil, 0, 0xF0] as [UInt8?])
    func `2ED.015.00: a priority of zero, or none, is the lowest`(priority: UInt8?) throws {
        let low = TestCard(
            TestCard.entry(mastercard, priority: priority), TestCard.entry(maestro, priority: 15),
            names: mastercard, maestro)
        var reader = try self.reader(low)
        try reader.pay()
        #expect(reader.selected == ["PPSE", maestro])
        let equal = TestCard(
            TestCard.entry(maestro, priority: priority), TestCard.entry(mastercard, priority: 0),
            names: mastercard, maestro)
        reader = try self.reader(equal)
        try reader.pay()
        #expect(reader.selected == ["PPSE", maestro])
    }

    @Test func `for one entry of the card, the reader's order decides`() throws {
        let card = TestCard(TestCard.entry(mastercard, kernel: "00"), names: mastercard)
        for kernels in [[KernelIdentifier.kernel8, .kernel2], [.kernel2, .kernel8]] {
            var reader = try TestReader(try kernels.map { try TestReader.combination(mastercard, $0) }, card: card)
            try reader.pay()
            #expect(reader.kernels.values == [kernels[0]])
        }
    }

    @Test func `2ED.016.00: without a candidate, the transaction ends`() throws {
        var reader = try self.reader(TestCard(TestCard.entry("A0000000031010"), names: "A0000000031010"))
        expectNoCandidate(try reader.pay())
        #expect(reader.selected == ["PPSE"])
    }

    @Test func `2ED.017.00: without the reader's support, extended selection is left out`() throws {
        let card = TestCard(TestCard.entry(mastercard, extended: "0102"), names: mastercard)
        var reader = try self.reader(card, extended: false)
        try reader.pay()
        #expect(reader.selected == ["PPSE", mastercard])
    }

    @Test(arguments: ["", "01", "0102", "010203040506070809"])
    func `2ED.018.00: extended selection is added to the name, up to 16 bytes`(extended: String) throws {
        let card = TestCard(TestCard.entry(mastercard, extended: extended), names: mastercard + extended)
        var reader = try self.reader(card)
        try reader.pay()
        #expect(reader.selected == ["PPSE", mastercard + extended])
        #expect(reader.activations.values.first?.data[0x9F06]?.hexText == mastercard + extended)
    }

    @Test func `an extended selection that does not fit drops the candidate`() throws {
        let card = TestCard(
            TestCard.entry(mastercard, priority: 1, extended: "01020304050607080910"),
            TestCard.entry(maestro, priority: 2), names: mastercard, maestro)
        var reader = try self.reader(card)
        try reader.pay()
        #expect(reader.selected == ["PPSE", maestro])
        #expect(reader.entryPoint.findings == [.nameTooLong(aid: bytes(mastercard))])
    }

    @Test(arguments: [UInt16(0x6A82), 0x6283, 0x6985])
    func `2ED.019.00: a refused application leads to the next candidate`(status: UInt16) throws {
        var card = TestCard(
            TestCard.entry(mastercard, priority: 1), TestCard.entry(maestro, priority: 2), names: mastercard, maestro)
        let answer = TestCard.application(mastercard)
        card.applications[bytes(mastercard)] = ResponseAPDU(data: answer.data, status: StatusWord(rawValue: status))
        var reader = try self.reader(card)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.selected == ["PPSE", mastercard, maestro])
    }

    @Test func `2ED.019.01: refused with data of the issuer, the application ends the transaction`() throws {
        var card = TestCard(
            TestCard.entry(mastercard, priority: 1), TestCard.entry(maestro, priority: 2), names: mastercard, maestro)
        card.outcomes = [online]
        var reader = try self.reader(card)
        try reader.pay()
        try reader.handle(.hostAnswered(Self.issuerData))
        reader.card.applications = [:]
        let actions = try reader.handle(.cardDetected)
        expectNoCandidate(actions)
        #expect(actions.outcomes.first?.followsHostAnswer == true)
        #expect(reader.selected == ["PPSE", mastercard, mastercard])
    }

    @Test(arguments: [nil, "9F0206", "9F3704 9F"] as [String?])
    func `2ED.020.00: by the rules of 2.5, a Visa card that does not ask for 9F66 gets Kernel 1`(
        list: String?
    ) throws {
        var card = TestCard(TestCard.entry(TestCard.visa), names: TestCard.visa)
        card.applications[bytes(TestCard.visa)] = TestCard.application(TestCard.visa, pdol: list)
        let combinations = [
            try TestReader.combination(TestCard.visa, .kernel3), try TestReader.combination(TestCard.visa, .kernel1),
        ]
        var reader = try TestReader(combinations, card: card, rules: .edition2_5)
        #expect(try reader.pay().outcomes.map(\.kernel) == [.kernel1])
        #expect(reader.kernels.values == [.kernel1])
        // The later editions drop the candidate.
        reader = try TestReader(combinations, card: card)
        expectNoCandidate(try reader.pay())
    }

    @Test func `2ED.021.00: without Kernel 1, such a candidate is dropped`() throws {
        var card = TestCard(TestCard.entry(TestCard.visa), names: TestCard.visa)
        card.applications[bytes(TestCard.visa)] = TestCard.application(TestCard.visa, pdol: "9F0206")
        let combinations = [
            try TestReader.combination(TestCard.visa, .kernel3), try TestReader.combination(TestCard.visa, .kernel1),
        ]
        for reader in [
            try TestReader([combinations[0]], card: card, rules: .edition2_5),
            try TestReader(combinations, card: card, rules: .edition2_5, missing: [.kernel1]),
        ] {
            var reader = reader
            expectNoCandidate(try reader.pay())
            #expect(reader.entryPoint.findings == [.noQualifiersRequested(aid: bytes(TestCard.visa))])
        }
    }

    @Test(arguments: [0, 1])
    func `2ED.022.00: a failed exchange in selection begins again at Start B`(command: Int) throws {
        var card = TestCard.standard
        card.failures = [command: .cardRemoved]
        var reader = try TestReader(card: card)
        #expect(try reader.pay().suffix(2) == [.show(.presentCard), .poll])
        #expect(reader.entryPoint.findings == [.exchangeFailed(.cardRemoved)])
        let actions = try reader.handle(.cardDetected)
        #expect(actions.outcomes.map(\.outcome.status) == [.approved])
        // The indicators of pre-processing stay.
        #expect(reader.activations.values.first?.data[0x9F66]?.hexText == "B6208000")
        #expect(reader.selected.suffix(2) == ["PPSE", mastercard])
    }

    @Test(arguments: ["A0000000043060", nil] as [String?])
    func `the answer of another application drops the candidate, by the rules of 2.12`(name: String?) throws {
        var card = TestCard.standard
        let proprietary = tlv(0xA5, tlv(0x50, [0x41]))
        card.applications[bytes(mastercard)] = ResponseAPDU(
            data: tlv(0x6F, (name.map { tlv(0x84, bytes($0)) } ?? []) + proprietary), status: .success)
        var reader = try TestReader(card: card)
        expectNoCandidate(try reader.pay())
        #expect(reader.entryPoint.findings == [.otherDFName(aid: bytes(mastercard))])
        reader = try TestReader([try TestReader.combination()], card: card, rules: .edition2_5)
        #expect(try reader.pay().outcomes.map(\.outcome.status) == [.approved])
    }
}
