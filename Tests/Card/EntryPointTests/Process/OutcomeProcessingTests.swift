import EMV
import EntryPoint
import SmartCard
import Testing

/// Cases 2EE and 2EF of the foreign test list, kernel activation and outcomes (Book B §3.4, §3.5), and our own.
struct OutcomeProcessingTests {
    private static let approval = OnlineAuthorizationResult.answered(
        IssuerAnswer(authorizationResponseCode: Array("00".utf8)))
    private let maestro = "A0000000043060"

    private func reader(_ outcomes: [UInt8]...) throws -> TestReader {
        var card = TestCard.standard
        card.outcomes = outcomes
        return try TestReader(card: card)
    }

    /// A reader with two Mastercard applications, of which `names` are on the card, in the order of their priority.
    private func reader(names: [String], outcomes: [[UInt8]]) throws -> TestReader {
        var card = TestCard()
        var entries: [UInt8] = []
        for (index, name) in names.enumerated() {
            entries += TestCard.entry(name, priority: UInt8(index + 1))
            card.applications[bytes(name)] = TestCard.application(name)
        }
        card.directory = ResponseAPDU(data: TestCard.directory(entries), status: .success)
        card.outcomes = outcomes
        return try TestReader(
            [try TestReader.combination(), try TestReader.combination(maestro)], card: card)
    }

    @Test func `2EE.001.00: the answer to SELECT reaches the kernel, but not at Start D`() throws {
        var reader = try self.reader(TestCard.outcome("40 30 F0 F0 00 F0 FF 00"))
        let actions = try reader.pay()
        let answer = TestCard.application(TestCard.mastercard)
        #expect(reader.activations.values.map(\.selection) == [answer, nil])
        #expect(reader.activations.values.map(\.start) == [.a, .d])
        #expect(actions.outcomes.map(\.continuation) == [.restarts(.d), .ends])
        let numbers = reader.activations.values.map { $0.data[0x9F37] }
        #expect(Set(numbers).count == 2)
    }

    @Test func `2EE.002.00: the kernel of the selected combination runs`() throws {
        let card = TestCard(
            TestCard.entry(TestCard.mastercard, kernel: "03", priority: 1),
            TestCard.entry(maestro, kernel: "02", priority: 2), names: TestCard.mastercard, maestro)
        var reader = try TestReader(
            [
                try TestReader.combination(TestCard.mastercard, .kernel2),
                try TestReader.combination(TestCard.mastercard, .kernel3), try TestReader.combination(maestro),
            ], card: card)
        #expect(try reader.pay().outcomes.map(\.kernel) == [.kernel3])
        #expect(reader.kernels.values == [.kernel3])
        #expect(reader.activations.values.map(\.combination.kernel) == [.kernel3])
    }

    @Test func `a missing kernel leads to the next candidate`() throws {
        let card = TestCard(
            TestCard.entry(TestCard.mastercard, kernel: "08", priority: 1),
            TestCard.entry(maestro, kernel: "02", priority: 2), names: TestCard.mastercard, maestro)
        var reader = try TestReader(
            [try TestReader.combination(TestCard.mastercard, .kernel8), try TestReader.combination(maestro)],
            card: card, missing: [.kernel8])
        #expect(try reader.pay().outcomes.map(\.kernel) == [.kernel2])
        #expect(reader.entryPoint.findings == [.noKernel(.kernel8)])
    }

    @Test(arguments: [("2EF.001.00", "03", "000000", "05"), ("2EF.001.01", "07", "000013", "0A")])
    func `2EF.001: the message on outcome comes first, then the field goes off`(
        number: String, message: String, hold: String, fieldOff: String
    ) throws {
        var reader = try self.reader(
            TestCard.outcome(
                "10 F0 F0 00 80 F0 \(fieldOff) 00", onOutcome: TestCard.message(message, "00", hold: hold)))
        let actions = try reader.pay()
        let shown = UserInterfaceRequest(
            MessageIdentifier(rawValue: bytes(message)[0]), .notReady,
            holdTime: .milliseconds(hold == "000000" ? 0 : 1300))
        let tail = actions.suffix(4)
        #expect(tail.first == .show(shown))
        #expect(tail.dropFirst().first == .pauseField(.milliseconds(fieldOff == "05" ? 500 : 1000)))
        #expect(actions.last == .switchFieldOff && actions.outcomes.count == 1)
    }

    @Test func `2EF.002.00: Try Again waits for the card again`() throws {
        var reader = try self.reader(
            TestCard.outcome(
                "70 10 F0 F0 C0 F0 0D 00", onOutcome: TestCard.message("20"), onRestart: TestCard.message("21", "02")))
        let actions = try reader.pay()
        #expect(
            actions.suffix(4) == [
                .show(UserInterfaceRequest(.seePhone, .notReady)), .pauseField(.milliseconds(1300)),
                .show(UserInterfaceRequest(.presentCardAgain, .readyToRead)), .poll,
            ])
        #expect(actions.outcomes.isEmpty)
        #expect(try reader.handle(.cardDetected).outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.selected == ["PPSE", TestCard.mastercard, "PPSE", TestCard.mastercard])
        #expect(reader.activations.values.map(\.start) == [.a, .b])
    }

    @Test(arguments: [
        (["A0000000041010", "A0000000043060"], 1, ["A0000000041010", "A0000000043060"]),
        (["A0000000041010", "A0000000043060"], 2, ["A0000000041010", "A0000000043060"]),
        (["A0000000041010"], 1, ["A0000000041010"]),
        (["A0000000043060", "A0000000041010"], 1, ["A0000000043060", "A0000000041010"]),
    ])
    func `2EF.003.00: Select Next takes the next candidate, until there is none`(
        names: [String], refusals: Int, selected: [String]
    ) throws {
        let next = TestCard.outcome("50 20 F0 F0 00 F0 FF 00")
        var reader = try self.reader(names: names, outcomes: Array(repeating: next, count: refusals))
        let actions = try reader.pay()
        #expect(reader.selected == ["PPSE"] + selected)
        let outcome = try #require(actions.outcomes.first)
        let message: MessageIdentifier? = refusals < names.count ? nil : .useAnotherCard
        #expect(outcome.outcome.uiOnOutcome?.message == message)
        #expect(outcome.outcome.status == (message == nil ? .approved : .endApplication))
    }

    @Test func `a phone that needs its owner comes a second time, in the same transaction`() throws {
        var reader = try self.reader(
            TestCard.outcome(
                "40 10 F0 F0 C0 F0 0D 00", onOutcome: TestCard.message("20"), onRestart: TestCard.message("21", "02")))
        let actions = try reader.pay()
        #expect(actions.outcomes.map(\.continuation) == [.restarts(.b)])
        #expect(actions.suffix(2) == [.show(UserInterfaceRequest(.presentCardAgain, .readyToRead)), .poll])
        let second = try reader.handle(.cardDetected)
        #expect(second.outcomes.map(\.outcome.status) == [.approved])
        #expect(reader.activations.values.map(\.isRestart) == [false, true])
        #expect(reader.activations.values.map { $0.data[0x9F02] }.allSatisfy { $0 == bytes("000000000010") })
    }

    @Test func `an outcome for another interface ends with the field off`() throws {
        var reader = try self.reader(TestCard.outcome("60 F0 F0 F0 00 10 FF 00"))
        let actions = try reader.pay()
        #expect(actions.outcomes.map(\.outcome.alternateInterface) == [.contactChip])
        #expect(actions.last == .switchFieldOff && reader.entryPoint.phase == .idle)
    }

    @Test func `an online request waits for the host with the field off, and ends with its answer`() throws {
        var reader = try self.reader(TestCard.outcome("30 F0 F0 20 00 F0 FF 00"))
        let actions = try reader.pay()
        let outcome = try #require(actions.outcomes.first)
        #expect(outcome.continuation == .awaitsHost && outcome.outcome.cvm == .onlinePIN && !outcome.followsHostAnswer)
        #expect(outcome.kernel == .kernel2 && outcome.aid?.hexText == TestCard.mastercard)
        #expect(actions.last == .switchFieldOff && reader.entryPoint.phase == .awaitingHost)
        #expect(try reader.handle(.hostAnswered(Self.approval)) == [.applyHostDecision, .switchFieldOff])
    }

    @Test(arguments: ["10", "30"]) func `one transaction asks the host once`(start: String) throws {
        let again = TestCard.outcome("30 \(start) F0 00 00 F0 FF 00", onlineResponse: 2)
        var reader = try self.reader(again, again)
        try reader.pay()
        var actions = try reader.handle(.hostAnswered(.unableToGoOnline))
        if reader.entryPoint.phase == .polling { actions = try reader.handle(.cardDetected) }
        #expect(actions.suffix(2) == [.applyHostDecision, .switchFieldOff])
        #expect(actions.outcomes.isEmpty && reader.entryPoint.findings == [.secondOnlineRequest])
    }

    @Test func `while the host is asked, nothing stops the transaction or begins another`() throws {
        var reader = try self.reader(TestCard.outcome("30 F0 F0 00 00 F0 FF 00"))
        try reader.pay()
        #expect(throws: EntryPointError.unexpected(event: "stop", .awaitingHost)) { try reader.handle(.stop) }
        #expect(throws: EntryPointError.busy(.awaitingHost)) { try reader.begin() }
        #expect(try reader.handle(.hostAnswered(Self.approval)).first == .applyHostDecision)
    }

    @Test func `a transaction that is stopped while it polls clears the display`() throws {
        for event in [EntryPointEvent.stop, .collision] {
            var reader = try self.reader()
            try reader.begin()
            if event == .collision { try reader.handle(event) }
            let actions = try reader.handle(.stop)
            #expect(actions.first == .show(UserInterfaceRequest(.clearDisplay, .notReady)))
            #expect(actions.outcomes.map(\.outcome.status) == [.endApplication] && actions.last == .switchFieldOff)
        }
    }

    @Test func `a transaction that is canceled during selection ends, during a kernel it is the kernel's`() throws {
        for command in 0...2 {
            var reader = try self.reader()
            reader.card.failures = [command: .canceled]
            let actions = try reader.pay()
            #expect(actions.outcomes.map(\.outcome.status) == [.endApplication])
            let message = try #require(actions.messages.last?.message)
            #expect(message == (command < 2 ? .clearDisplay : .processingError))
            #expect(reader.card.commands.count == command + 1)
        }
    }

    @Test(arguments: ["40 30 F0 F0 00 F0 FF 00", "40 20 F0 F0 00 F0 FF 00"])
    func `a kernel that restarts without end is stopped`(parameters: String) throws {
        var card = TestCard.standard
        card.outcomes = Array(repeating: TestCard.outcome(parameters), count: 100)
        var reader = try TestReader(card: card)
        let actions = try reader.pay()
        #expect(reader.activations.values.count == 32)
        #expect(actions.outcomes.last?.continuation == .ends)
        #expect(reader.entryPoint.findings == [.tooManyActivations])
    }

    @Test func `an unexpected event is refused, and changes nothing`() throws {
        var reader = try self.reader()
        #expect(throws: EntryPointError.unexpected(event: "card detected", .idle)) { try reader.handle(.cardDetected) }
        try reader.begin()
        for event in [
            EntryPointEvent.collisionEnded, .response(ResponseAPDU(status: .success), took: .zero), .failed(.timedOut),
            .hostAnswered(.unableToGoOnline),
        ] {
            #expect(throws: EntryPointError.unexpected(event: event.name, .polling)) { try reader.handle(event) }
            #expect(reader.entryPoint.phase == .polling)
        }
        #expect(try reader.handle(.cardRemoved) == [])
        #expect(try reader.handle(.cardDetected).outcomes.map(\.outcome.status) == [.approved])
    }

    @Test func `no order of events leaves the phases or asks the host twice`() throws {
        // Every event in every phase, from every outcome of the kernel.
        for status in ["10", "20", "30", "40", "50", "60", "70"] {
            for start in ["00", "10", "20", "30", "F0"] {
                let outcome = TestCard.outcome("\(status) \(start) F0 00 00 F0 FF 02", onlineResponse: 2)
                for seed in 0..<6 {
                    var card = TestCard.standard
                    card.outcomes = Array(repeating: outcome, count: 50)
                    var reader = try TestReader(card: card)
                    var requests = 0
                    try reader.begin()
                    for step in 0..<12 {
                        let events: [EntryPointEvent] = [
                            .cardDetected, .hostAnswered(Self.approval), .cardRemoved, .collision, .removalTimedOut,
                            .collisionEnded,
                        ]
                        let event = events[(step * (seed + 1) + step / 3) % events.count]
                        let phase = reader.entryPoint.phase
                        do {
                            let actions = try reader.handle(event)
                            requests += actions.outcomes.filter { $0.continuation == .awaitsHost }.count
                        } catch let error as EntryPointError {
                            #expect(error == .unexpected(event: event.name, phase))
                            #expect(reader.entryPoint.phase == phase)
                        }
                    }
                    #expect(requests <= 1)
                }
            }
        }
    }
}
