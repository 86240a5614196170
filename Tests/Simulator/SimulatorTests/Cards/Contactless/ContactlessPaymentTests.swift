import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import SmartCard
import Testing

@testable import Simulator

/// Kernel 8 against the simulated cards, through Entry Point.
struct ContactlessPaymentTests {
    // EMV Book C-8 state 1: kernel 8 is selected by the directory entry of the card
    @Test func `a credit card asks for the issuer`() throws {
        var terminal = try TapTerminal(named: "k8-credit")
        try terminal.pay()
        #expect(terminal.commands.prefix(2).map(\.ins) == [0xA4, 0xA4])
        #expect(terminal.outcomes.last?.kernel == .kernel8)
        #expect(terminal.last?.status == .onlineRequest)
        #expect(terminal.last?.cvm == .noCVM)
        #expect(terminal.last?.uiOnOutcome?.message == .authorizing)
        #expect(terminal.hostWasAsked)
        #expect(terminal.record[0x9F27] == [0x80])
        #expect(terminal.record[0x95] == [0x00, 0x00, 0x00, 0x00, 0x81])
        #expect(terminal.card.cryptograms.map(\.kind) == [.asksIssuer])
        #expect(terminal.card.cryptograms.first?.minorUnits == 1250)
    }

    // Above the limit, and with a wrong certificate, the kernel changes the TVR after the cryptogram
    @Test(arguments: [("k8-credit", Int64(1250)), ("k8-credit", 12_000), ("k8-wrong-certificate", 1250)])
    func `the issuer verifies the cryptogram from the data for the host`(name: String, amount: Int64) throws {
        var terminal = try TapTerminal(named: name)
        try terminal.pay(amount)
        let (record, profile) = (terminal.record, terminal.card.profile)
        let data = try #require(terminal.last?.dataRecord)
        let host = try HostDataRecord(data, coveredResults: terminal.last?.coveredResults).iccData
        let input = try ApplicationCryptogram.Input { tag in host.first { $0.tag == tag }?.value }
        #expect(input.issuerApplicationData.version == .aes)
        let application = try #require(profile.applications.first)
        guard let pan = application.primaryAccountNumber() else {
            Issue.record("the card has no account number")
            return
        }
        let cryptogram = try TestKeys.embedded().withMasterKeys(.aes) { masters in
            try ApplicationCryptogram.compute(
                input,
                masterKey: CryptogramVersion.aes.masterKey(
                    issuerMasterKey: masters.applicationCryptogram, pan: pan,
                    panSequenceNumber: application.panSequenceNumber))
        }
        #expect(record[0x9F26] == cryptogram)
    }

    @Test func `above the limit a credit card takes the online PIN, a phone has verified its owner`() throws {
        var credit = try TapTerminal(named: "k8-credit")
        try credit.pay(12_000)
        #expect(credit.last?.cvm == .onlinePIN)
        #expect(credit.last?.demandsReceipt == true)
        #expect(credit.record[0x95] == [0x00, 0x00, 0x04, 0x80, 0x81])
        var phone = try TapTerminal(named: "k8-phone")
        try phone.pay(12_000)
        #expect(phone.last?.cvm == .confirmationCodeVerified)
        #expect(phone.last?.status == .onlineRequest)
        #expect(phone.record[0x9F34] == [0x01, 0x00, 0x02])
    }

    @Test func `a terminal without online PIN takes a signature where it can`() throws {
        var terminal = try TapTerminal(named: "k8-credit", settings: [Kernel8Tag.cvmCapabilityRequired: [0x20]])
        try terminal.pay(12_000)
        #expect(terminal.last?.cvm == .signature)
        var other = try TapTerminal(named: "k8-credit", settings: [Kernel8Tag.cvmCapabilityRequired: [0x04]])
        try other.pay(12_000)
        #expect(other.last?.cvm == nil)
        #expect(other.record[0x9F34] == [0x3F, 0x00, 0x01])
        #expect(other.last?.status == .onlineRequest)
    }

    @Test func `a card declines, one approves offline, one wants its chip`() throws {
        var declines = try TapTerminal(named: "k8-decline")
        try declines.pay()
        #expect(declines.last?.status == .declined)
        #expect(declines.last?.uiOnOutcome?.message == .notAuthorized)
        var approves = try TapTerminal(named: "k8-offline")
        try approves.pay()
        #expect(approves.last?.status == .approved)
        #expect(approves.record[0x9F27] == [0x40])
        #expect(!approves.hostWasAsked)
        var chip = try TapTerminal(named: "k8-wants-chip")
        try chip.pay()
        #expect(chip.last?.status == .tryAnotherInterface)
        #expect(chip.last?.alternateInterface == .contactChip)
        #expect(chip.last?.uiOnOutcome?.message == .insertOrSwipeCard)
    }

    // EMV Book C-8 state 29: a restart at B, with new keys, a new unpredictable number, and the next ATC
    @Test func `a locked phone asks for its owner, and pays at the second tap`() throws {
        var terminal = try TapTerminal(named: "k8-second-tap")
        try terminal.pay(taps: 2)
        #expect(terminal.outcomes.map(\.outcome.status) == [.endApplication, .onlineRequest])
        #expect(terminal.outcomes.first?.continuation == .restarts(.b))
        #expect(terminal.outcomes.first?.outcome.uiOnRestart?.message == .seePhone)
        #expect(terminal.record[0x9F36] == [0x00, 0x03])
        let options = terminal.commands.filter { $0.ins == 0xA8 }.map(\.data)
        #expect(Set(options).count == 2)
        #expect(terminal.card.cryptograms.map(\.kind) == [.declined, .asksIssuer])
    }

    @Test func `a phone that its owner does not unlock keeps asking`() throws {
        var profile = try CardProfileLibrary.profile("k8-second-tap")
        profile.contactless?.isUnlockedByOwner = false
        var terminal = try TapTerminal(profile)
        try terminal.pay(taps: 3)
        #expect(terminal.outcomes.map(\.outcome.status) == [.endApplication, .endApplication, .endApplication])
        terminal.card.unlock()
        try terminal.tap()
        #expect(terminal.last?.status == .onlineRequest)
    }

    @Test func `a wrong certificate sends the payment online, or ends in a decline`() throws {
        var online = try TapTerminal(named: "k8-wrong-certificate")
        try online.pay()
        #expect(online.last?.status == .onlineRequest)
        #expect(online.record[0x95] == [0x04, 0x00, 0x00, 0x00, 0x81])
        var denied = try TapTerminal(
            named: "k8-wrong-certificate", settings: [Kernel8Tag.actionCodeDenial: [0x04, 0, 0, 0, 0]])
        try denied.pay()
        #expect(denied.last?.status == .declined)
    }

    @Test func `a wrong MAC ends the application`() throws {
        var terminal = try TapTerminal(named: "k8-wrong-mac")
        try terminal.pay()
        #expect(terminal.last?.status == .endApplication)
        #expect(terminal.last?.uiOnOutcome?.message == .useAnotherCard)
        #expect(terminal.discretionary[Kernel8Tag.errorIndication] == [0x00, 0x13, 0x00, 0x00, 0x00, 0x1C])
    }

    // EMV Book C-8 state 21: a card that answers too late three times
    @Test func `a card behind a relay is too slow, if the kernel looks`() throws {
        var terminal = try TapTerminal(
            named: "k8-relay-slow", settings: [Kernel8Tag.kernelConfiguration: [0x18, 0x00]])
        try terminal.pay()
        #expect(terminal.commands.count { $0.ins == 0xEA } == 3)
        #expect(terminal.record[0x95] == [0x00, 0x00, 0x00, 0x00, 0x8E])
        #expect(terminal.last?.status == .onlineRequest)
        var other = try TapTerminal(named: "k8-relay-slow")
        try other.pay()
        #expect(other.last?.status == .approved)
    }

    /// What a card with a fault ends with: the status, and level 2 of the error indication, or byte 1 of the TVR.
    struct Expectation: Sendable {
        let fault: ContactlessProfile.Fault
        let status: ContactlessOutcome.Status
        var error: UInt8 = 0
        var results: UInt8 = 0
    }

    @Test(arguments: [
        Expectation(fault: .expiredIssuerCertificate, status: .onlineRequest, results: 0x04),
        Expectation(fault: .expiredCardCertificate, status: .onlineRequest, results: 0x04),
        Expectation(fault: .unknownAuthority, status: .onlineRequest, results: 0x04),
        Expectation(fault: .otherIssuer, status: .onlineRequest, results: 0x04),
        Expectation(fault: .staticData, status: .onlineRequest, results: 0x04),
        Expectation(fault: .blindingFactor, status: .onlineRequest, results: 0x04),
        Expectation(fault: .blindedKey, status: .endApplication, error: 0x10),
        Expectation(fault: .keyLength, status: .endApplication, error: 0x04),
        Expectation(fault: .counter, status: .endApplication, error: 0x04),
        Expectation(fault: .edaMAC, status: .endApplication, error: 0x13),
        Expectation(fault: .duplicateObject, status: .endApplication, error: 0x04),
        Expectation(fault: .terminalObject, status: .endApplication, error: 0x04),
        Expectation(fault: .higherCryptogram, status: .approved),
        Expectation(fault: .envelopeMAC, status: .approved),
        Expectation(fault: .otherTrack, status: .approved),
    ])
    func `each fault of a card has its outcome`(expectation: Expectation) throws {
        var profile = try CardProfileLibrary.profile("k8-offline")
        profile.contactless?.fault = expectation.fault
        var terminal = try TapTerminal(profile)
        try terminal.pay()
        #expect(terminal.last?.status == expectation.status)
        #expect(terminal.discretionary[Kernel8Tag.errorIndication]?.dropFirst().first == expectation.error)
        #expect(terminal.record[0x95]?.first ?? 0 == expectation.results)
    }

    @Test func `a cryptogram higher than asked, and a short restart indicator, are errors`() throws {
        var profile = try CardProfileLibrary.profile("k8-wants-chip")
        profile.contactless?.fault = .higherCryptogram
        var higher = try TapTerminal(profile)
        try higher.pay()
        #expect(higher.discretionary[Kernel8Tag.errorIndication]?[1] == 0x06)
        profile.contactless?.fault = .restartLength
        var short = try TapTerminal(profile)
        try short.pay()
        #expect(short.discretionary[Kernel8Tag.errorIndication]?[1] == 0x04)
    }

    @Test func `certificates on P-521, plain records, and other static data authenticate too`() throws {
        let offline = try CardProfileLibrary.profile("k8-offline")
        var (large, plain, extended) = (offline, offline, offline)
        large.contactless?.certificates = .p521
        plain.contactless?.enciphersRecords = false
        extended.contactless?.extendedTags = [0x50, 0x84, 0x9F, 0x38]
        for profile in [large, plain, extended] {
            var terminal = try TapTerminal(profile)
            try terminal.pay()
            #expect(terminal.last?.status == .approved)
            #expect(terminal.record[0x95] == [0x00, 0x00, 0x00, 0x00, 0x81])
        }
    }

    // Entry Point lets an amount of zero pass, unless a combination forbids it
    @Test func `a gate that asks for an account with an amount of zero gets a request for the issuer`() throws {
        var gate = try TapTerminal(named: "k8-transit")
        try gate.pay(0)
        #expect(gate.last?.status == .onlineRequest)
        #expect(gate.card.cryptograms.map(\.minorUnits) == [0])
    }

    @Test(arguments: ["k8-torn-read-data", "k8-torn-write-data"])
    func `a card that is torn at an envelope is asked for again before its cryptogram, and not after`(
        name: String
    ) throws {
        var terminal = try TapTerminal(
            named: name,
            settings: [
                Kernel8Tag.tagsToRead: [0x9F, 0x81, 0x11],
                Kernel8Tag.envelopesToWrite: BERTLV.encode(0x9F_8112, [9, 8]),
            ])
        try terminal.pay(taps: 2)
        #expect(terminal.last?.status == .onlineRequest)
        #expect(terminal.card.cryptograms.count == 1)
        #expect(terminal.outcomes.count == (name == "k8-torn-read-data" ? 2 : 1))
        // What was not written is said, and decides nothing.
        #expect(
            terminal.discretionary[Kernel8Tag.writeDataStatus] == [name == "k8-torn-write-data" ? 0x00 : 0x80])
    }

    @Test func `a blocked application is selected with a warning, and gives nothing`() throws {
        let profile = try CardProfileLibrary.profile("k8-blocked")
        let card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
        _ = card.reset(warm: false)
        let aid = profile.contactless?.aid ?? []
        let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: aid, expectedLength: 256)
        #expect(card.process(select).response?.status == .selectedFileInvalidated)
        let options = try CommandAPDU(
            cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: BERTLV.encode(0x83, [UInt8](repeating: 0, count: 81)),
            expectedLength: 256)
        #expect(card.process(options).response?.status == .conditionsNotSatisfied)
        var terminal = try TapTerminal(profile)
        try terminal.pay()
        #expect(terminal.last?.status == .endApplication)
        #expect(terminal.card.cryptograms.isEmpty)
    }

    @Test(arguments: [("k8-expired", UInt8(0x40)), ("k8-not-yet-effective", 0x20)])
    func `a card outside its dates says so itself`(name: String, bit: UInt8) throws {
        var terminal = try TapTerminal(named: name)
        try terminal.pay()
        #expect(terminal.last?.status == .onlineRequest)
        #expect((terminal.record[0x95]?[1] ?? 0) & bit == bit)
    }

    @Test func `a card without local authentication pays online`() throws {
        var profile = try CardProfileLibrary.profile("k8-offline")
        profile.contactless?.authenticatesLocally = false
        var terminal = try TapTerminal(profile)
        try terminal.pay()
        #expect(terminal.last?.status == .onlineRequest)
        #expect(terminal.record[0x95] == [0x80, 0x00, 0x00, 0x00, 0x81])
    }

    @Test func `a card that offers another suite alone cannot be used`() throws {
        var profile = try CardProfileLibrary.profile("k8-credit")
        profile.contactless?.suites = [0x88, 0xFF, 0xFF]
        var terminal = try TapTerminal(profile)
        try terminal.pay()
        #expect(terminal.last?.status == .endApplication)
        #expect(terminal.discretionary[Kernel8Tag.errorIndication]?[1] == 0x06)
        #expect(!terminal.commands.contains { $0.ins == 0xA8 })
    }

    @Test func `data envelopes are read and written`() throws {
        var profile = try CardProfileLibrary.profile("k8-credit")
        profile.contactless?.envelopes = [0x9F_8111: [1, 2, 3]]
        var terminal = try TapTerminal(
            profile,
            settings: [
                Kernel8Tag.tagsToRead: BERTag(rawValue: 0x9F_8111).bytes,
                Kernel8Tag.envelopesToWrite: BERTLV.encode(0x9F_8112, [9, 8]),
                Kernel8Tag.discretionaryTagList: [0x9F, 0x82, 0x1B, 0x9F, 0x82, 0x1C, 0x9F, 0x81, 0x11],
            ])
        try terminal.pay()
        #expect(
            terminal.discretionary == [
                Kernel8Tag.writeDataStatus: [0x80], Kernel8Tag.readDataStatus: [0x80], 0x9F_8111: [1, 2, 3],
            ])
    }

    @Test(arguments: [CardFault.Command.getProcessingOptions, .readRecord, .generateAC])
    func `a card that leaves is asked for again only before GENERATE AC`(command: CardFault.Command) throws {
        var profile = try CardProfileLibrary.profile("k8-credit")
        profile.faults = [CardFault(command, .remove, moment: .during)]
        var terminal = try TapTerminal(profile)
        try terminal.pay(taps: 2)
        if command == .generateAC {
            #expect(terminal.outcomes.map(\.outcome.status) == [.endApplication])
            #expect(terminal.card.cryptograms.count == 1)
        } else {
            #expect(terminal.last?.status == .onlineRequest)
            #expect(terminal.card.cryptograms.count == 1)
        }
    }

    @Test func `a payment that is forced online asks the issuer, whatever the card can do`() throws {
        var terminal = try TapTerminal(named: "k8-offline")
        try terminal.pay(isForcedOnline: true)
        #expect(terminal.last?.status == .onlineRequest && terminal.hostWasAsked)
        #expect(terminal.commands.last { $0.ins == 0xAE }?.p1 == 0x80)
        // Also one unit of the currency, where that asks for the status of the account.
        var status = try TapTerminal(try CardProfileLibrary.profile("k8-offline"), checksStatus: true)
        try status.pay(100)
        #expect(status.last?.status == .onlineRequest)
        try status.pay(101)
        #expect(status.last?.status == .approved)
    }

    @Test(arguments: [0x13, 0x16, 0x23, 0x26, 0x36] as [UInt8])
    func `a terminal that never goes online declines what it is not sure of`(byte: UInt8) throws {
        let type = try #require(TerminalType(rawValue: byte))
        let codes = Kernel8ActionCodes(ActionCodes(denial: [], online: [], default: []), terminalType: type)
        let settings: [BERTag: [UInt8]] = [
            Kernel8Tag.actionCodeDenial: codes.denial.bytes, Kernel8Tag.actionCodeOnline: codes.online.bytes,
        ]
        func terminal(_ name: String) throws -> TapTerminal {
            var profile = try CardProfileLibrary.profile(name)
            profile.contactless?.decision = .offline
            return try TapTerminal(profile, settings: settings, type: type)
        }
        var authenticated = try terminal("k8-offline")
        try authenticated.pay()
        #expect(authenticated.last?.status == .approved)
        // Above the floor limit of 100.00, and forced online.
        try authenticated.pay(10_001)
        #expect(authenticated.last?.status == .declined)
        try authenticated.pay(isForcedOnline: true)
        #expect(authenticated.last?.status == .declined)
        for name in ["k8-plain", "k8-wrong-certificate"] {
            var other = try terminal(name)
            try other.pay()
            #expect(other.last?.status == .declined, "\(name)")
        }
    }

    @Test func `a record with the track of another account is not for a host`() throws {
        var profile = try CardProfileLibrary.profile("k8-credit")
        profile.contactless?.fault = .otherTrack
        var terminal = try TapTerminal(profile)
        try terminal.pay()
        let data = try #require(terminal.last?.dataRecord)
        #expect(throws: HostDataRecordError.accountMismatch) { try HostDataRecord(data) }
    }

    @Test func `random keys do not change what happens`() throws {
        for seed in UInt64(1)...25 {
            var terminal = try TapTerminal(try CardProfileLibrary.profile("k8-offline"), seed: seed)
            try terminal.pay()
            #expect(terminal.last?.status == .approved)
        }
    }
}
