import EMV
import SmartCard
import Testing

struct ApplicationSelectionTests {
    private static let visa = TestCard.Profile.visa
    private static let electron = bytes("A0000000032010")

    private func profile(_ applications: [TestCard.Application]) -> TestCard.Profile {
        var profile = TestCard.Profile.standard()
        profile.applications = applications
        return profile
    }

    private func application(_ aid: [UInt8], _ proprietary: [UInt8] = []) -> TestCard.Application {
        TestCard.Application(aid: aid, proprietary: proprietary)
    }

    private func entry(_ aid: [UInt8], _ rest: [UInt8] = []) -> [UInt8] {
        tlv(0x61, BERTLV.encode(0x4F, aid), rest)
    }

    /// The names of the SELECT commands, `next` marked with a plus.
    private func selections(_ card: TestCard) -> [String] {
        card.commands(0xA4).map { ($0.p2 == 2 ? "+" : "") + $0.data.hexText }
    }

    // EMV Book 1 §12.3.2: the records of the payment system directory are read one by one until the card has no more
    // EMV Book 1 §12.4: applications are offered in the order of their priority
    // EMV Book 1 §12.2.3: a directory entry has an ADF name and may have label and priority
    @Test func `the directory is read completely, and the application with the highest priority comes first`()
        async throws
    {
        var card = profile([application(Self.visa), application(Self.electron)])
        card.directory = [
            entry(Self.visa, tlv(0x50, "56495341") + tlv(0x87, "02")),
            entry(Self.electron, tlv(0x50, "454C454354524F4E") + tlv(0x87, "01")),
        ]
        let cardholder = TestCardholder()
        let channel = TestCard(card)
        let outcome = try await TestKernel(cardholder: cardholder).run(channel)
        #expect(outcome.application?.aid == Self.electron)
        #expect(cardholder.choices.map { $0.map(\.name) } == [["ELECTRON", "VISA"]])
        #expect(selections(channel) == ["315041592E5359532E4444463031", Self.electron.hexText])
        #expect(channel.commands(0xB2).prefix(3).map(\.p1) == [1, 2, 3])
    }

    // EMV Book 1 §12.3.3: a card without a directory, or with a blocked one, is asked for each application of the
    // terminal
    @Test(arguments: [StatusWord.fileNotFound, .selectedFileInvalidated, .instructionNotSupported])
    func `without a directory each application is selected by AID`(status: StatusWord) async throws {
        var card = profile([application(Self.visa)])
        card.directoryStatus = status
        let outcome = try await TestKernel().run(TestCard(card))
        #expect(outcome.application?.aid == Self.visa)
        #expect(outcome.decision == .approvedOnline)
    }

    // EMV Book 1 §12.3.2: a directory that cannot be read gives way to the list of applications
    // EMV Book 1 §12.3.2: a directory that names nothing of the terminal's gives way to the list of applications
    @Test func `after a malformed directory, or one without a supported application, the list of AIDs is used`()
        async throws
    {
        for record in [bytes("6105"), entry(bytes("F000000001"))] {
            var card = profile([application(Self.visa)])
            card.directory = [record]
            let outcome = try await TestKernel().run(TestCard(card))
            #expect(outcome.application?.aid == Self.visa)
        }
    }

    // EMV Book 1 §12.3.2: 6A81 to the SELECT of the directory ends the session
    @Test func `a blocked card ends the session`() async throws {
        var card = profile([])
        card.directoryStatus = .functionNotSupported
        let outcome = try await TestKernel().run(TestCard(card))
        #expect(outcome.decision == .terminated(.cardBlocked))
    }

    // EMV Book 1 §12.3.3: an application whose name goes on after the terminal's identifier is followed with SELECT
    // of the next occurrence
    // EMV Book 1 §11.3.2: P2 02 of SELECT asks for the next occurrence
    @Test func `partial names are selected from one occurrence to the next`() async throws {
        let (first, second) = (Self.visa + [0x01], Self.visa + [0x02])
        let channel = TestCard(profile([application(first, tlv(0x87, "02")), application(second, tlv(0x87, "01"))]))
        let cardholder = TestCardholder()
        let kernel = TestKernel(terminal: try TestKernel.terminal(), cardholder: cardholder)
        let outcome = try await kernel.run(channel)
        #expect(cardholder.choices.first?.map(\.aid) == [second, first])
        #expect(outcome.application?.aid == second)
        #expect(
            Array(selections(channel).dropFirst()) == [
                Self.visa.hexText, "+" + Self.visa.hexText, "+" + Self.visa.hexText, second.hexText,
            ])
    }

    // EMV Book 1 §12.3.1: without partial selection the names of card and terminal must be the same
    @Test func `a terminal with exact matching omits longer names`() async throws {
        let terminal = try TerminalConfiguration(applications: [
            TerminalApplication(
                aid: Self.visa, allowsPartialSelection: false, versions: [1],
                actionCodes: ActionCodes(denial: [], online: [], default: []))
        ])
        let outcome = try await TestKernel(terminal: terminal).run(TestCard(profile([application(Self.visa + [1])])))
        #expect(outcome.decision == .tryAnotherInterface(.noApplication))
    }

    // EMV Book 1 §12.4: with no application that both support the transaction ends
    @Test func `a card without a supported application may be read in another way`() async throws {
        let outcome = try await TestKernel().run(TestCard(profile([])))
        #expect(outcome.decision == .tryAnotherInterface(.noApplication))
        #expect(outcome.application == nil && outcome.pan == nil && outcome.iccData.isEmpty)
    }

    // EMV Book 1 §12.3.3: 6283 to SELECT marks a blocked application, which is not a candidate
    @Test func `a blocked application is skipped, and a single one ends the session`() async throws {
        var blocked = application(Self.visa)
        blocked.selectStatus = .selectedFileInvalidated
        let alone = try await TestKernel().run(TestCard(profile([blocked])))
        #expect(alone.decision == .terminated(.applicationBlocked))
        let other = try await TestKernel().run(TestCard(profile([blocked, application(Self.electron)])))
        #expect(other.application?.aid == Self.electron)
    }

    // EMV Book 1 §12.4: an application that SELECT refuses leaves the list, and the next one is taken
    @Test func `an application that the directory names and SELECT refuses is removed`() async throws {
        var blocked = application(Self.visa)
        blocked.selectStatus = .selectedFileInvalidated
        var card = profile([blocked, application(Self.electron)])
        card.directory = [entry(Self.visa, tlv(0x87, "01")) + entry(Self.electron, tlv(0x87, "02"))]
        let cardholder = TestCardholder()
        let outcome = try await TestKernel(cardholder: cardholder).run(TestCard(card))
        #expect(outcome.application?.aid == Self.electron)
        #expect(cardholder.choices.map(\.count) == [2])
    }

    // EMV Book 1 §12.4: a single application is taken at once unless its priority says that the cardholder must
    // confirm it
    @Test func `a single application is selected without a prompt, unless it requires confirmation`() async throws {
        let cardholder = TestCardholder()
        _ = try await TestKernel(cardholder: cardholder).run(TestCard(profile([application(Self.visa)])))
        #expect(cardholder.choices.isEmpty)
        _ = try await TestKernel(cardholder: cardholder)
            .run(TestCard(profile([application(Self.visa, tlv(0x87, "81"))])))
        #expect(
            cardholder.choices == [
                [ApplicationChoice(name: "Visa", aid: Self.visa, priority: 1, needsConfirmation: true)]
            ])
    }

    // EMV Book 1 §12.4: an application that needs confirmation is not taken without it
    @Test func `declining the choice cancels the payment`() async throws {
        let cardholder = TestCardholder { _ in nil }
        let card = TestCard(profile([application(Self.visa, tlv(0x87, "80"))]))
        #expect(try await TestKernel(cardholder: cardholder).run(card).decision == .canceled(.cardholder))
        let outside = TestCardholder { _ in 7 }
        #expect(try await TestKernel(cardholder: outside).run(card).decision == .canceled(.cardholder))
    }

    // EMV Book 1 §12.4: a terminal that cannot ask takes the highest priority of those that need no confirmation
    @Test func `a terminal without a choice takes the first that needs no confirmation`() async throws {
        let terminal = try TestKernel.terminal(choice: false, aids: [Self.visa, Self.electron])
        let cards = profile([application(Self.visa, tlv(0x87, "81")), application(Self.electron, tlv(0x87, "02"))])
        let outcome = try await TestKernel(terminal: terminal).run(TestCard(cards))
        #expect(outcome.application?.aid == Self.electron)
        let none = try await TestKernel(terminal: terminal)
            .run(TestCard(profile([application(Self.visa, tlv(0x87, "81"))])))
        #expect(none.decision == .tryAnotherInterface(.noApplication))
    }

    // EMV Book 3 §10.1: 6985 to GET PROCESSING OPTIONS takes the application out of the list and goes back to
    // selection
    @Test func `6985 to GET PROCESSING OPTIONS goes back to selection without that application`() async throws {
        var refusing = application(Self.visa, tlv(0x87, "01"))
        refusing.optionsStatus = .conditionsNotSatisfied
        let cardholder = TestCardholder()
        let outcome = try await TestKernel(cardholder: cardholder)
            .run(TestCard(profile([refusing, application(Self.electron, tlv(0x87, "02"))])))
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.application?.aid == Self.electron)
        #expect(cardholder.choices.count == 1)
        let alone = try await TestKernel().run(TestCard(profile([refusing])))
        #expect(alone.decision == .terminated(.status(.getProcessingOptions, .conditionsNotSatisfied)))
    }

    // EMV Book 1 §12.4: the preferred name is shown when the terminal supports its code table, else the label
    // EMV Book 3 annex C4: the issuer code table index says in which part of ISO 8859 the preferred name is written
    @Test func `the preferred name is shown when its characters can be`() async throws {
        func name(_ proprietary: [UInt8]) async throws -> ApplicationSummary? {
            try await TestKernel().run(TestCard(profile([application(Self.visa, proprietary)]))).application
        }
        let label = tlv(0x50, "56495341")
        #expect(try await name(label + tlv(0x9F11, "01") + tlv(0x9F12, "436172746520C9"))?.displayName == "Carte É")
        #expect(try await name(label + tlv(0x9F11, "05") + tlv(0x9F12, "BCB8C0"))?.displayName == "МИР")
        #expect(try await name(label + tlv(0x9F11, "07") + tlv(0x9F12, "C1C2"))?.displayName == "VISA")
        #expect(try await name(label + tlv(0x9F12, "4341"))?.displayName == "VISA")
        #expect(try await name(label + tlv(0x9F11, "01") + tlv(0x9F12, "4307"))?.preferredName == nil)
        #expect(try await name([])?.displayName == "Visa")
    }

    @Test func `a card with endless occurrences is not followed forever`() async throws {
        let channel = EndlessOccurrences()
        let kernel = TestKernel(terminal: try TestKernel.terminal(choice: false))
        let outcome = try await kernel.run(channel)
        #expect(outcome.decision != .approvedOnline)
        #expect(channel.count < 200)
    }
}

/// Answers every SELECT with another longer name.
private final class EndlessOccurrences: CardChannel {
    private let recorder = Recorder<CommandAPDU>()

    var count: Int { recorder.values.count }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        recorder.record(command)
        guard command.ins == 0xA4, command.data == TestCard.Profile.visa else {
            return ResponseAPDU(status: .fileNotFound)
        }
        let name = TestCard.Profile.visa + [UInt8(truncatingIfNeeded: count)]
        return ResponseAPDU(data: tlv(0x6F, BERTLV.encode(0x84, name), tlv(0xA5, "")), status: .success)
    }
}
