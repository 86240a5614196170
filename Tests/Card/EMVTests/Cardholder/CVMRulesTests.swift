import Determinism
import EMV
import SmartCard
import Testing

/// Every method under every condition (EMV Book 3 §10.5, Book 4 §6.3.4).
struct CVMRulesTests {
    /// A payment in which a condition holds, or does not.
    private struct Payment {
        var type: UInt8 = 0x22
        var kind = TransactionRequest.Kind.goodsOrServices
        var amount: Int64 = 1_500
        var cashback: Int64?
        var currency = "USD"
    }

    /// X is 10.00 and Y is 20.00.
    private static let amounts = "000003E8 000007D0"

    /// Book 3 annex C3, table 44: for each condition, payments in which it holds and in which it does not.
    private static let conditions: [(code: UInt8, holding: [Payment], failing: [Payment])] = [
        (0x00, [Payment(), Payment(type: 0x25, kind: .cash)], []),
        (
            0x01, [Payment(type: 0x25, kind: .cash), Payment(type: 0x14, kind: .cash)],
            [Payment(), Payment(kind: .cash), Payment(type: 0x25)]
        ),
        (
            0x02, [Payment(), Payment(type: 0x25), Payment(kind: .refund)],
            [
                Payment(kind: .cash), Payment(type: 0x25, kind: .cash), Payment(kind: .cashback, cashback: 500),
                Payment(cashback: 500),
            ]
        ),
        (0x03, [Payment()], []),
        (0x04, [Payment(kind: .cash)], [Payment(), Payment(type: 0x25, kind: .cash)]),
        (
            0x05, [Payment(kind: .cashback, cashback: 500), Payment(cashback: 500)],
            [Payment(), Payment(kind: .cash), Payment(cashback: 0)]
        ),
        (0x06, [Payment(amount: 999)], [Payment(amount: 1_000), Payment(amount: 999, currency: "EUR")]),
        (0x07, [Payment(amount: 1_001)], [Payment(amount: 1_000), Payment(amount: 1_001, currency: "EUR")]),
        (0x08, [Payment(amount: 1_999)], [Payment(amount: 2_000), Payment(amount: 1_999, currency: "EUR")]),
        (0x09, [Payment(amount: 2_001)], [Payment(amount: 2_000), Payment(amount: 2_001, currency: "EUR")]),
        // Reserved for future use, for payment systems, and unassigned (§10.5: skipped).
        (0x0A, [], [Payment()]), (0x7F, [], [Payment()]), (0x80, [], [Payment()]), (0xFF, [], [Payment()]),
    ]

    /// What a method comes to when its condition holds: result and TVR byte 3, or, where it does not succeed, the
    /// TVR bits with which the next rule is tried.
    private enum Course {
        case performed(result: UInt8, byte3: UInt8)
        case unsuccessful(byte3: UInt8, isSupported: Bool)
    }

    /// Book 3 annex C3, table 43; a terminal with every capability, a card that takes every PIN in the clear, and no
    /// key for an enciphered one.
    private static func course(_ method: UInt8) -> Course {
        switch method {
        case 0x00: .performed(result: 1, byte3: 0x80)
        case 0x01: .performed(result: 2, byte3: 0)
        case 0x02: .performed(result: 0, byte3: 0x04)
        case 0x03: .performed(result: 0, byte3: 0)
        case 0x04, 0x05: .unsuccessful(byte3: 0, isSupported: true)
        case 0x06...0x0F: .unsuccessful(byte3: 0x02, isSupported: false)
        case 0x1E: .performed(result: 0, byte3: 0)
        case 0x1F: .performed(result: 2, byte3: 0)
        default: .unsuccessful(byte3: 0x40, isSupported: false)
        }
    }

    private static func digits(_ byte: UInt8) -> String { [byte].hexText }

    private func run(_ list: String, _ payment: Payment, capabilities: String = "20F800") async throws -> KernelOutcome
    {
        var profile = TestCard.Profile.standard(cvmList: list)
        profile.verify = [.success]
        let terminal = try TestKernel.terminal(type: payment.type, capabilities: capabilities)
        let cardholder = TestCardholder(pins: Array(repeating: .digits([1, 2, 3, 4]), count: 3))
        return try await TestKernel(terminal: terminal, cardholder: cardholder).run(
            TestCard(profile),
            TestKernel.request(
                payment.amount, cashback: payment.cashback, kind: payment.kind, currency: payment.currency))
    }

    private func expect(
        _ list: String, _ payment: Payment, _ results: String, _ byte3: UInt8, capabilities: String = "20F800"
    ) async throws {
        let outcome = try await run(list, payment, capabilities: capabilities)
        let place: Comment = "\(list) in \(payment)"
        #expect(outcome.cvmResults.description == results, place)
        #expect(outcome.verificationResults.bytes[2] == byte3, place)
        #expect(outcome.statusInformation.bytes[0] & 0x40 != 0, place)
    }

    // EMV Book 3 §10.5: a rule whose condition does not hold is passed over
    // EMV Book 3 annex C3: each method code means its method, and codes without a meaning are not recognized
    // EMV Book 4 §6.3.4.5: when no rule's condition holds the CVM results are 3F0001
    @Test(arguments: conditions.map(\.code))
    func `Book 3 §10.5, annex C3: every method under the condition`(code: UInt8) async throws {
        let condition = try #require(Self.conditions.first { $0.code == code })
        let suffix = Self.digits(code)
        for method in 0...0x3E as ClosedRange<UInt8> {
            let alone = "\(Self.amounts) \(Self.digits(method))\(suffix)"
            let first = "\(Self.amounts) \(Self.digits(method | 0x40))\(suffix) 1F00"
            for payment in condition.failing {
                // No rule's condition holds (Book 4 §6.3.4.5): nothing was performed.
                try await expect(alone, payment, "3F0001", 0x80)
                try await expect(first, payment, "1F0002", 0)
            }
            for payment in condition.holding {
                switch Self.course(method) {
                case .performed(let result, let byte3):
                    let tail = suffix + Self.digits(result)
                    try await expect(alone, payment, Self.digits(method) + tail, byte3)
                    try await expect(first, payment, Self.digits(method | 0x40) + tail, byte3)
                case .unsuccessful(let byte3, let isSupported):
                    // Condition 03 does not hold for what the terminal does not support.
                    let set = code == 0x03 && !isSupported ? 0 : byte3
                    try await expect(
                        alone, payment, isSupported ? Self.digits(method) + suffix + "01" : "3F0001", set | 0x80)
                    try await expect(first, payment, "1F0002", set)
                }
            }
        }
    }

    // EMV Book 3 §10.5.1: a terminal with no offline PIN support sets the TVR bit for a missing PIN pad
    // EMV Book 3 §10.5.2: a terminal with no online PIN support sets the TVR bit for a missing PIN pad
    /// TVR byte 3 for a rule whose method the terminal does not support.
    @Test(
        arguments: [
            // No method at all.
            ("200000", 0x01, 0x10), ("200000", 0x02, 0x10), ("200000", 0x03, 0x10), ("200000", 0x04, 0x10),
            ("200000", 0x05, 0x10), ("200000", 0x1E, 0), ("200000", 0x1F, 0),
            // One kind of offline PIN is offline PIN support: its pad is there.
            ("208000", 0x04, 0), ("208000", 0x05, 0), ("208000", 0x03, 0), ("208000", 0x02, 0x10),
            ("201000", 0x01, 0), ("201000", 0x03, 0), ("201000", 0x05, 0),
            // An online PIN pad alone is none for the card's PIN.
            ("204000", 0x01, 0x10), ("204000", 0x04, 0x10),
            // A combination needs both halves.
            ("202000", 0x03, 0x10), ("202000", 0x05, 0x10),
        ] as [(String, UInt8, UInt8)])
    func `Book 3 §10.5.1, §10.5.2: methods that the terminal does not support`(
        capabilities: String, method: UInt8, byte3: UInt8
    ) async throws {
        let plain = Payment()
        try await expect(
            "\(Self.amounts) \(Self.digits(method))00", plain, "3F0001", byte3 | 0x80, capabilities: capabilities)
        // Where the card itself asks whether the terminal supports it, nothing is found fault with.
        try await expect(
            "\(Self.amounts) \(Self.digits(method))03", plain, "3F0001", 0x80, capabilities: capabilities)
        try await expect(
            "\(Self.amounts) \(Self.digits(method | 0x40))03 0000", plain, "000001", 0x80, capabilities: capabilities)
    }

    // EMV Book 4 §6.3.4.5: the CVM results tell the last rule that was performed
    // EMV Book 3 §10.5: the bit of a rule that failed says whether the next one is tried
    /// Sequences of rules: the last performed one is reported (Book 4 §6.3.4.5, table 2).
    @Test(
        arguments: [
            ("4400 4600 6000 1E00", "1E0000", 0x42), ("4400 4600 6000", "440001", 0xC2),
            ("6000 4400 4600", "440001", 0xC2), ("4600 6000", "3F0001", 0xC2), ("0A00 1F00", "3F0001", 0x82),
            ("4400 0000 1F00", "000001", 0x80), ("4400 4000 1F00", "400001", 0x80), ("1E0A 5E0B 1F0C", "3F0001", 0x80),
            ("5F00 0000", "5F0002", 0), ("4202 4103", "420200", 0x04), ("4205 4103", "410302", 0),
            // b8 of a rule is kept for future use and does not count.
            ("8100", "810002", 0), ("C200 1F00", "C20000", 0x04),
        ] as [(String, String, UInt8)])
    func `Book 4 §6.3.4.5: the CVM results contain the last performed rule`(
        rules: String, results: String, byte3: UInt8
    ) async throws {
        try await expect("\(Self.amounts) \(rules)", Payment(), results, byte3)
    }

    // EMV Book 3 §10.5: without the application's currency no condition on the amount holds
    @Test func `Book 3 §10.5: a card without an application currency meets no condition on the amount`() async throws {
        for code in 0x06...0x09 as ClosedRange<UInt8> {
            for amount in [500, 1_500, 2_500] as [Int64] {
                var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 5E\(Self.digits(code)) 1F00")
                profile.records[2] = tlv(0x5F28, "0840")
                let outcome = try await TestKernel().run(TestCard(profile), TestKernel.request(amount))
                #expect(outcome.cvmResults.description == "1F0002")
            }
        }
    }

    // EMV Book 3 §10.5: a card whose AIP does not support cardholder verification is not verified, and the TSI bit
    // stays clear
    @Test func `Book 3 §10.5: a card that asks for no verification is not verified`() async throws {
        var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 0100")
        profile.aip = bytes("0C00")
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
        let outcome = try await TestKernel(cardholder: cardholder).run(TestCard(profile))
        #expect(outcome.cvmResults == .notPerformed)
        #expect(outcome.verificationResults.bytes[2] == 0 && outcome.statusInformation.bytes[0] & 0x40 == 0)
        #expect(cardholder.prompts.isEmpty)
    }

    // MARK: Offline PIN

    // EMV Book 3 §10.5.1: a PIN try counter of zero fails the method at once and sets the try limit bit
    // EMV Book 4 §6.3.4.1: a message precedes the cardholder's last try
    // EMV Book 3 §6.5.7: the PIN try counter is read with GET DATA, and a card need not give it
    /// Book 4 §6.3.4.1: the counter is asked for before the cardholder is.
    @Test(
        arguments: [
            (nil, ["enter"]), ("03", ["enter 3"]), ("01", ["enter 1 last"]), ("00", []),
        ] as [(String?, [String])])
    func `Book 4 §6.3.4.1: there is no PIN prompt without a remaining try`(counter: String?, told: [String])
        async throws
    {
        var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 4100 1F00")
        profile.verify = [.success]
        if let counter { profile.data[0x9F17] = bytes(counter) }
        let card = TestCard(profile)
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
        let outcome = try await TestKernel(cardholder: cardholder).run(card)
        let texts = cardholder.prompts.map { prompt in
            "enter" + (prompt.triesLeft.map { " \($0)" } ?? "") + (prompt.isLastTry ? " last" : "")
        }
        #expect(texts == told)
        #expect(card.commands(0xCA).map { [$0.p1, $0.p2] }.first == [0x9F, 0x17])
        #expect(outcome.cvmResults.description == (told.isEmpty ? "1F0002" : "410002"))
        #expect(outcome.verificationResults.bytes[2] == (told.isEmpty ? 0x20 : 0))
        #expect(card.commands(0x20).count == told.count)
    }

    // EMV Book 3 §10.5.1: a PIN that was found blocked is not tried again by the next rule
    @Test func `Book 3 §10.5.1: a blocked PIN is not prompted for again by the next method`() async throws {
        for tries in [0, nil] as [UInt8?] {
            var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 4100 4300 5E00")
            profile.verify = [.authenticationMethodBlocked]
            if let tries { profile.data[0x9F17] = [tries] }
            let card = TestCard(profile)
            let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4]), .digits([1, 2, 3, 4])])
            let outcome = try await TestKernel(cardholder: cardholder).run(card)
            #expect(outcome.cvmResults.description == "5E0000")
            #expect(outcome.verificationResults.bytes[2] == 0x20)
            #expect(cardholder.prompts.count == (tries == nil ? 1 : 0))
        }
    }

    // EMV Book 4 §6.3.4.3: PIN entry that is passed over after a wrong PIN sets the bit for a PIN not entered
    @Test func `Book 4 §6.3.4.3: a PIN bypassed after a wrong one is not a PIN try limit`() async throws {
        var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 4100 1F00")
        profile.verify = [StatusWord(0x63, 0xC1)]
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4]), .bypass])
        let outcome = try await TestKernel(cardholder: cardholder).run(TestCard(profile))
        #expect(outcome.cvmResults.description == "1F0002")
        #expect(outcome.verificationResults.bytes[2] == 0x08)
        #expect(cardholder.prompts.map(\.isLastTry) == [false, true])
    }

    // EMV Book 4 §6.3.4.3: PIN entry may be bypassed only at attended terminals
    @Test func `Book 4 §6.3.4.3: an unattended terminal does not bypass a PIN`() async throws {
        for rule in ["4100", "4200"] {
            let card = TestCard(.standard(cvmList: "\(Self.amounts) \(rule) 1F00"))
            let outcome = try await TestKernel(
                terminal: TestKernel.terminal(type: 0x25), cardholder: TestCardholder(pins: [.bypass])
            ).run(card)
            #expect(outcome.decision == .canceled(.cardholder))
            #expect(card.commands(0xAE).isEmpty)
        }
    }

    // EMV Book 3 §10.5.4: a combination succeeds only when both of its methods do
    @Test func `Book 3 §10.5.4: PIN and signature need both`() async throws {
        for (status, results, verification, byte3) in [
            (StatusWord.success, "030000", CardholderVerificationKind.plaintextOfflinePINAndSignature, 0x00),
            (.authenticationMethodBlocked, "030001", .failed, 0xA0),
        ] as [(StatusWord, String, CardholderVerificationKind, UInt8)] {
            var profile = TestCard.Profile.standard(cvmList: "\(Self.amounts) 0300")
            profile.verify = [status]
            let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
            let outcome = try await TestKernel(cardholder: cardholder).run(TestCard(profile))
            #expect(outcome.cvmResults.description == results)
            #expect(outcome.cardholderVerification == verification)
            #expect(outcome.cardholderVerification.needsSignature == (status == .success))
            #expect(outcome.verificationResults.bytes[2] == byte3)
        }
    }
}
