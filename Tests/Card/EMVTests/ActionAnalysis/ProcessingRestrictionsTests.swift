import SmartCard
import Testing

@testable import EMV

struct ProcessingRestrictionsTests {
    private func restrictions() throws -> ProcessingRestrictions {
        ProcessingRestrictions(
            cardVersion: 0x0096, terminalVersions: [0x008C, 0x0096], usageControl: nil, issuerCountry: 840,
            terminalCountry: 840, isATM: false, kind: .goodsOrServices, hasCashback: false,
            transactionDate: try #require(EMVDate(bytes: bytes("260102"))), effectiveDate: nil,
            expirationDate: try #require(EMVDate(bytes: bytes("260131"))))
    }

    // EMV Book 3 §10.4: a card that gives no version, usage control or effective date is not restricted by them
    @Test func `a card without restrictions passes`() throws { #expect(try restrictions().evaluate().isEmpty) }

    // EMV Book 3 §10.4.1: a difference between the card's and the terminal's application version shows in the TVR,
    // and a card without a version is not compared
    @Test func `versions are compared when the card has one`() throws {
        var input = try restrictions()
        input.cardVersion = 0x0097
        #expect(input.evaluate() == .versionsDiffer)
        input.cardVersion = nil
        #expect(input.evaluate().isEmpty)
    }

    // EMV Book 3 §10.4.3: an application is good from its effective date through its expiration date, both days
    // included
    @Test func `dates include the first and the last day`() throws {
        var input = try restrictions()
        input.expirationDate = try #require(EMVDate(bytes: bytes("260101")))
        #expect(input.evaluate() == .expiredApplication)
        input.expirationDate = input.transactionDate
        input.effectiveDate = input.transactionDate
        #expect(input.evaluate().isEmpty)
        input.effectiveDate = EMVDate(bytes: bytes("260103"))
        #expect(input.evaluate() == .applicationNotYetEffective)
    }

    struct Usage: Sendable {
        var control: String
        var isDomestic = true
        var isATM = false
        var kind = TransactionRequest.Kind.goodsOrServices
        var cashback = false
        var allowed: Bool
    }

    // EMV Book 3 §10.4.2: the usage control is matched with kind of payment, country and terminal, and what it does
    // not allow shows in the TVR
    @Test(arguments: [
        Usage(control: "FFC0", allowed: true),
        Usage(control: "FE00", allowed: false),  // not outside ATMs
        Usage(control: "FD00", isATM: true, kind: .cash, allowed: false),
        Usage(control: "8200", isATM: true, kind: .cash, allowed: true),
        Usage(control: "2100", allowed: true),  // domestic goods
        Usage(control: "0900", allowed: true),  // domestic services
        Usage(control: "8100", allowed: false),
        Usage(control: "2900", isDomestic: false, allowed: false),
        Usage(control: "1100", isDomestic: false, allowed: true),
        Usage(control: "0500", isDomestic: false, allowed: true),
        Usage(control: "8100", kind: .cash, allowed: true),
        Usage(control: "4100", kind: .cash, allowed: false),
        Usage(control: "4100", isDomestic: false, kind: .cash, allowed: true),
        Usage(control: "2180", kind: .cashback, cashback: true, allowed: true),
        Usage(control: "2140", kind: .cashback, cashback: true, allowed: false),
        Usage(control: "1140", isDomestic: false, cashback: true, allowed: true),
        Usage(control: "0180", kind: .cashback, cashback: true, allowed: false),
        Usage(control: "0100", kind: .refund, allowed: true),
    ])
    func `usage control restricts the use of the card`(usage: Usage) throws {
        var input = try restrictions()
        input.usageControl = ApplicationUsageControl(bytes: bytes(usage.control))
        input.issuerCountry = usage.isDomestic ? 840 : 276
        (input.isATM, input.kind, input.hasCashback) = (usage.isATM, usage.kind, usage.cashback)
        #expect(input.evaluate() == (usage.allowed ? [] : .serviceNotAllowed))
    }

    // EMV Book 3 §10.4.2: domestic and international uses are checked only when the card names its issuer's country
    @Test func `without the issuer's country only ATM or not is checked`() throws {
        var input = try restrictions()
        input.usageControl = ApplicationUsageControl(bytes: bytes("0100"))
        input.issuerCountry = nil
        #expect(input.evaluate().isEmpty)
        input.isATM = true
        #expect(input.evaluate() == .serviceNotAllowed)
    }

    // EMV Book 3 annex C2: each bit of the usage control allows one use and no other
    @Test func `every use needs its own bits and no others`() throws {
        struct Use { var bits: UInt16, isATM: Bool, isDomestic: Bool, kind: TransactionRequest.Kind, cashback: Bool }
        // Of goods and services either will do, since transaction type 00 is both.
        let uses = [
            Use(bits: 0x2000 | 0x0100, isATM: false, isDomestic: true, kind: .goodsOrServices, cashback: false),
            Use(bits: 0x0800 | 0x0100, isATM: false, isDomestic: true, kind: .goodsOrServices, cashback: false),
            Use(bits: 0x1000 | 0x0100, isATM: false, isDomestic: false, kind: .goodsOrServices, cashback: false),
            Use(bits: 0x0400 | 0x0100, isATM: false, isDomestic: false, kind: .goodsOrServices, cashback: false),
            Use(bits: 0x2000 | 0x0100 | 0x0080, isATM: false, isDomestic: true, kind: .cashback, cashback: true),
            Use(bits: 0x1000 | 0x0100 | 0x0040, isATM: false, isDomestic: false, kind: .cashback, cashback: true),
            Use(bits: 0x8000 | 0x0200, isATM: true, isDomestic: true, kind: .cash, cashback: false),
            Use(bits: 0x4000 | 0x0200, isATM: true, isDomestic: false, kind: .cash, cashback: false),
            Use(bits: 0x8000 | 0x0100, isATM: false, isDomestic: true, kind: .cash, cashback: false),
            Use(bits: 0x0100, isATM: false, isDomestic: true, kind: .refund, cashback: false),
        ]
        for use in uses {
            var input = try restrictions()
            (input.isATM, input.kind, input.hasCashback) = (use.isATM, use.kind, use.cashback)
            input.issuerCountry = use.isDomestic ? 840 : 276
            func isAllowed(_ bits: UInt16) -> Bool {
                input.usageControl = ApplicationUsageControl(bytes: [UInt8(bits >> 8), UInt8(bits & 0xFF)])
                return input.evaluate().isEmpty
            }
            #expect(isAllowed(use.bits) && isAllowed(0xFFC0))
            for bit in (0..<16).map({ UInt16(1) << $0 }) where use.bits & bit != 0 {
                #expect(!isAllowed(use.bits & ~bit), "\(use) without \(bit)")
            }
        }
    }

    // EMV Book 3 §10.4.3: an application that is expired or not yet effective has a TVR bit each
    // EMV Book 4 §6.7.3: years up to 49 belong to this century, years from 50 to the last one
    @Test(
        arguments: [
            (nil, "491231", "0000000000"), ("260102", "260102", "0000000000"), ("260103", "491231", "0020000000"),
            (nil, "260101", "0040000000"), (nil, "500101", "0040000000"), (nil, "991231", "0040000000"),
            ("260103", "260101", "0060000000"), ("991231", "491231", "0000000000"), ("240229", "280229", "0000000000"),
        ] as [(String?, String, String)])
    func `dates of a card are compared with the terminal's`(
        effective: String?, expiration: String, expected: String
    ) async throws {
        var profile = TestCard.Profile.standard()
        profile.records[0] =
            tlv(0x5A, TestCard.Profile.pan) + tlv(0x5F24, expiration) + (effective.map { tlv(0x5F25, $0) } ?? [])
        let results = try await TestKernel().run(TestCard(profile)).verificationResults
        let byte2 = TerminalVerificationResults(rawValue: 0x00FF_0000_00)
        #expect(results.intersection(byte2).description == expected)
    }

    // EMV Book 3 §7.5: a date of the card that the calendar does not have is a data error, which ends the transaction
    @Test(arguments: ["260230", "261301", "000000", "270229"])
    func `an invalid date ends the transaction`(date: String) async throws {
        for tag in [EMVTag.effectiveDate, EMVTag.expirationDate] {
            var profile = TestCard.Profile.standard()
            profile.records[0] =
                tlv(0x5A, TestCard.Profile.pan) + tlv(tag, date)
                + (tag == EMVTag.effectiveDate ? tlv(0x5F24, "311231") : [])
            let outcome = try await TestKernel().run(TestCard(profile))
            #expect(outcome.decision == .terminated(.data(.wrongFormat(tag))))
        }
    }

    // EMV Book 3 §10.4.2: whether the terminal is an ATM decides which bit of the usage control applies
    // EMV Book 4 annex A1: unattended terminals of a financial institution that give out cash are the ATMs
    @Test func `an ATM is an unattended terminal of a bank that gives out cash`() async throws {
        for (type, capabilities, isAllowed) in [
            (0x14 as UInt8, "8000000000", true), (0x15, "8000000000", true), (0x14, "4000000000", false),
            (0x24, "8000000000", false), (0x11, "8000000000", false),
        ] {
            let terminal = try TerminalConfiguration(
                type: try #require(TerminalType(rawValue: type)),
                additionalCapabilities: try #require(AdditionalTerminalCapabilities(bytes: bytes(capabilities))))
            let card = TestCard(.standard(tlv(0x9F07, "8200")))
            let outcome = try await TestKernel(terminal: terminal).run(card, try TestKernel.request(kind: .cash))
            #expect(outcome.verificationResults.contains(.serviceNotAllowed) == !isAllowed, "\(type) \(capabilities)")
        }
    }

    // EMV Book 4 §6.3.3: a terminal that supports several versions of an application compares the one that the card
    // has
    @Test func `of several versions the card gets its own`() async throws {
        let terminal = try TerminalConfiguration(applications: [
            TerminalApplication(
                aid: TestCard.Profile.visa, versions: [0x00A0, 0x008C],
                actionCodes: ActionCodes(denial: [], online: [], default: []))
        ])
        for (version, told, differs) in [("008C", "008C", false), ("00A0", "00A0", false), ("0001", "00A0", true)] {
            let kernel = TestKernel(terminal: terminal)
            let outcome = try await kernel.run(TestCard(.standard(tlv(0x9F08, version))))
            #expect(kernel.issuer.requests.first?.iccData.first(0x9F09)?.value == bytes(told))
            #expect(outcome.verificationResults.contains(.versionsDiffer) == differs)
        }
    }
}
