import CardSecrets
import Cryptography
import Determinism
import EMV
import SmartCard
import Testing

/// The CVM phase as a whole, seen at the card's contacts and in the outcome.
struct CardholderVerificationTests {
    private static let pin = TestCardholder.PIN.digits([1, 2, 3, 4])

    /// One card list, one cardholder, one terminal, and what comes of it.
    struct Case: Sendable {
        var name: String
        var list: String?
        var pins: [TestCardholder.PIN] = []
        var verify: [StatusWord] = []
        var triesLeft: UInt8? = 3
        var capabilities = "20F800"
        var canEncipher = true
        var aip = "1C00"
        var results: String
        /// Byte 3 of the TVR.
        var byte3: UInt8 = 0
        var performed = true
        var prompts: Int = 0
        var missing = false
    }

    private static let cases: [Case] = [
        Case(
            name: "not supported by the card", list: "0000000000000000 1F00", aip: "0C00", results: "3F0000",
            performed: false),
        Case(name: "no list", list: nil, results: "3F0000", performed: false, missing: true),
        Case(
            name: "a list without rules", list: "0000000000000000", results: "3F0000", performed: false, missing: true),
        Case(name: "no CVM", list: "0000000000000000 1F00", results: "1F0002"),
        Case(
            name: "no CVM, not supported", list: "0000000000000000 1F00", capabilities: "20F000", results: "3F0001",
            byte3: 0x80),
        Case(name: "signature", list: "0000000000000000 5E03 1F00", results: "5E0300"),
        Case(name: "fail", list: "0000000000000000 0000 1F00", results: "000001", byte3: 0x80),
        Case(name: "fail ends the list", list: "0000000000000000 4000 1F00", results: "400001", byte3: 0x80),
        Case(name: "no condition holds", list: "0000000000000000 1F01 1F04", results: "3F0001", byte3: 0x80),
        Case(
            name: "a condition that is not understood is passed over", list: "0000000000000000 1E0A 1F00",
            results: "1F0002"),
        Case(
            name: "an unknown method, and on", list: "0000000000000000 6000 1F00", results: "1F0002", byte3: 0x40),
        Case(
            name: "an unknown method, and no more", list: "0000000000000000 2000 1F00", results: "3F0001", byte3: 0xC0),
        Case(
            name: "plaintext PIN", list: "0000000000000000 4103 1F00", pins: [pin], verify: [.success],
            results: "410302", prompts: 1),
        Case(
            name: "plaintext PIN and signature", list: "0000000000000000 4303", pins: [pin], verify: [.success],
            results: "430300", prompts: 1),
        Case(
            name: "wrong, then right", list: "0000000000000000 0103", pins: [pin, pin],
            verify: [StatusWord(0x63, 0xC2), .success], results: "010302", prompts: 2),
        Case(
            name: "wrong until blocked", list: "0000000000000000 4103 1E00", pins: [pin, pin, pin],
            verify: [StatusWord(0x63, 0xC2), StatusWord(0x63, 0xC1), StatusWord(0x63, 0xC0)], results: "1E0000",
            byte3: 0x20, prompts: 3),
        Case(
            name: "wrong until blocked, and no more rules", list: "0000000000000000 4103", pins: [pin],
            verify: [StatusWord(0x63, 0xC0)], results: "410301", byte3: 0xA0, prompts: 1),
        Case(
            name: "blocked before", list: "0000000000000000 4103 1F00", triesLeft: 0, results: "1F0002", byte3: 0x20),
        Case(
            name: "blocked, and found out by VERIFY", list: "0000000000000000 4103 1F00", pins: [pin],
            verify: [.authenticationMethodBlocked], triesLeft: nil, results: "1F0002", byte3: 0x20, prompts: 1),
        Case(
            name: "reference data invalidated", list: "0000000000000000 0103 1F00", pins: [pin],
            verify: [.referenceDataInvalidated], results: "010301", byte3: 0xA0, prompts: 1),
        Case(
            name: "the terminal's own limit", list: "0000000000000000 4103 1F00", pins: [pin, pin, pin, pin],
            verify: [StatusWord(0x63, 0xC9)], results: "1F0002", prompts: 3),
        Case(
            name: "VERIFY refused", list: "0000000000000000 4103 1F00", pins: [pin], verify: [.instructionNotSupported],
            results: "1F0002", prompts: 1),
        Case(
            name: "bypass", list: "0000000000000000 4103 5E03 1F00", pins: [.bypass], results: "5E0300", byte3: 0x08,
            prompts: 1),
        Case(
            name: "bypass covers the online PIN", list: "0000000000000000 4103 4203 1F00", pins: [.bypass],
            results: "1F0002", byte3: 0x08, prompts: 1),
        Case(
            name: "no PIN pad there", list: "0000000000000000 4103 1F00", pins: [.unavailable], results: "1F0002",
            byte3: 0x10, prompts: 1),
        Case(
            name: "a PIN pad that gives no PIN", list: "0000000000000000 4103 1F00", pins: [.digits([1, 2, 3])],
            results: "1F0002", byte3: 0x10, prompts: 1),
        Case(
            name: "offline PIN not supported", list: "0000000000000000 4100 1F00", capabilities: "204800",
            results: "1F0002", byte3: 0x10),
        Case(
            name: "the other offline PIN supported", list: "0000000000000000 4100 1F00", capabilities: "201800",
            results: "1F0002"),
        Case(
            name: "online PIN not supported", list: "0000000000000000 0200", capabilities: "209800", results: "3F0001",
            byte3: 0x90),
        Case(
            name: "online PIN", list: "0000000000000000 4203 1F00", pins: [pin], results: "420300", byte3: 0x04,
            prompts: 1),
        Case(
            name: "online PIN without a key", list: "0000000000000000 4203 1F00", pins: [pin], canEncipher: false,
            results: "1F0002", byte3: 0x10, prompts: 1),
        Case(
            name: "online PIN passed over", list: "0000000000000000 0200", pins: [.bypass], results: "020001",
            byte3: 0x88, prompts: 1),
        Case(
            name: "enciphered PIN without the payment system's key", list: "0000000000000000 4403 1F00", pins: [pin],
            results: "1F0002"),
        Case(
            name: "enciphered PIN with no rule after it", list: "0000000000000000 0403", pins: [pin], results: "040301",
            byte3: 0x80),
        Case(
            name: "biometrics", list: "0000000000000000 4600 1F00", results: "1F0002", byte3: 0x02),
    ]

    // EMV Book 3 §10.5: the rules of the CVM list are tried in order until one succeeds or none may follow
    // EMV Book 3 §10.5: a CVM list that is missing or has no rules counts as missing card data, and no verification
    // is performed
    // EMV Book 3 §10.5.2: a PIN entered for the issuer sets the TVR bit for it
    // EMV Book 3 §10.5.3: a signature rule succeeds at a terminal that supports it
    @Test(arguments: cases)
    func `the list is worked through`(of test: Case) async throws {
        var profile = TestCard.Profile.standard(cvmList: test.list)
        profile.aip = bytes(test.aip)
        profile.verify = test.verify
        if let tries = test.triesLeft { profile.data[0x9F17] = [tries] }
        let cardholder = TestCardholder(pins: test.pins, canEncipher: test.canEncipher)
        let kernel = TestKernel(
            terminal: try TestKernel.terminal(capabilities: test.capabilities), cardholder: cardholder)
        let outcome = try await kernel.run(TestCard(profile))
        #expect(outcome.cvmResults.description == test.results)
        #expect(outcome.verificationResults.bytes == [test.missing ? 0xA0 : 0x80, 0, test.byte3, 0x80, 0])
        #expect(outcome.statusInformation.bytes == [test.performed ? 0x68 : 0x28, 0])
        #expect(cardholder.prompts.count == test.prompts)
        #expect(kernel.issuer.requests.first?.hasPINBlock == (test.byte3 & 0x04 != 0))
    }

    // EMV Book 3 §6.5.12: a plaintext PIN goes to the card as an eight-byte block with control field, length and F
    // filler
    @Test func `the plaintext PIN goes to the card as a format 2 block`() async throws {
        var profile = TestCard.Profile.standard(cvmList: "0000000000000000 0100")
        profile.verify = [.success]
        let card = TestCard(profile)
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4, 5])])
        _ = try await TestKernel(cardholder: cardholder).run(card)
        #expect(card.commands(0x20).map { $0.bytes.hexText } == ["0020008008" + "2512345FFFFFFFFF"])
    }

    // EMV Book 4 §6.3.4.1: messages say that the PIN was wrong, and when one try is left
    @Test func `prompts show the remaining tries, and the last one`() async throws {
        var profile = TestCard.Profile.standard(cvmList: "0000000000000000 0100")
        profile.data[0x9F17] = [2]
        profile.verify = [StatusWord(0x63, 0xC1), .success]
        let cardholder = TestCardholder(pins: [Self.pin, Self.pin])
        _ = try await TestKernel(cardholder: cardholder).run(TestCard(profile))
        #expect(
            cardholder.prompts == [
                PINPrompt(method: .offline, triesLeft: 2, isRetry: false),
                PINPrompt(method: .offline, triesLeft: 1, isRetry: true),
            ])
        #expect(cardholder.prompts.map(\.isLastTry) == [false, true])
    }

    @Test func `canceling at the PIN pad ends the payment before the card decides`() async throws {
        let card = TestCard(.standard(cvmList: "0000000000000000 4103 1F00"))
        let outcome = try await TestKernel(cardholder: TestCardholder(pins: [.cancel])).run(card)
        #expect(outcome.decision == .canceled(.cardholder))
        #expect(card.commands(0xAE).isEmpty)
        #expect(!outcome.wasSentOnline && !outcome.isReversalRequired)
    }

    @Test func `the outcome has the tries left after a wrong PIN, and none after the right one`() async throws {
        func triesLeft(_ answers: [StatusWord], _ pins: [TestCardholder.PIN]) async throws -> UInt8? {
            var profile = TestCard.Profile.standard(cvmList: "0000000000000000 0100")
            profile.verify = answers
            return try await TestKernel(cardholder: TestCardholder(pins: pins)).run(TestCard(profile))
                .triesLeftAfterWrongPIN
        }
        let wrong = StatusWord(0x63, 0xC2)
        #expect(try await triesLeft([wrong], [Self.pin, .cancel]) == 2)
        #expect(try await triesLeft([wrong, .success], [Self.pin, Self.pin]) == nil)
        #expect(try await triesLeft([StatusWord(0x63, 0xC0)], [Self.pin]) == 0)
        #expect(try await triesLeft([], [.cancel]) == nil)
    }

    // EMV Book 4 §6.3.4.3: a payment system may rule out that PIN entry is passed over
    @Test func `where the PIN must not be passed over, passing it over ends the payment`() async throws {
        let terminal = try TestKernel.terminal(pinPolicy: PINPolicy(allowsBypass: false))
        for rule in ["4103", "4203"] {
            let outcome = try await TestKernel(terminal: terminal, cardholder: TestCardholder(pins: [.bypass]))
                .run(TestCard(.standard(cvmList: "0000000000000000 \(rule) 1F00")))
            #expect(outcome.decision == .canceled(.cardholder))
        }
    }

    @Test func `a policy may ask again after a bypass`() async throws {
        let terminal = try TestKernel.terminal(pinPolicy: PINPolicy(bypassCoversLaterMethods: false))
        let cardholder = TestCardholder(pins: [.bypass, Self.pin])
        let outcome = try await TestKernel(terminal: terminal, cardholder: cardholder)
            .run(TestCard(.standard(cvmList: "0000000000000000 4103 4203 1F00")))
        #expect(outcome.cvmResults.description == "420300")
        #expect(outcome.verificationResults.bytes[2] == 0x0C)
    }

    // EMV Book 3 §7.5: a CVM list with half a rule is a format error, which ends the transaction
    @Test func `a malformed list ends the transaction`() async throws {
        let outcome = try await TestKernel().run(TestCard(.standard(cvmList: "0000000000000000 1F")))
        #expect(outcome.decision == .terminated(.data(.wrongFormat(0x8E))))
    }
}

/// Enciphered offline PIN, with keys and certificates made for tests.
struct EncipheredOfflinePINTests {
    typealias Fixture = CertificateFixture

    private func profile(
        _ bend: (inout Fixture.Fields) -> Void = { _ in }
    ) throws -> TestCard.Profile {
        let issuer = try Fixture.issuerCertificate()
        let records = TestCard.Profile.standard().records
        // The AFL of the test card authenticates the first record, without its template.
        let card = try Fixture.cardCertificate(staticData: records[0], bend)
        func object(_ tag: BERTag, _ value: [UInt8]) -> [UInt8] { BERTLV.encode(tag, value) }
        var profile = TestCard.Profile.standard(
            cvmList: "0000000000000000 4403 1F00", tlv(0x8F, "07"), object(0x90, issuer.certificate),
            issuer.remainder.isEmpty ? [] : object(0x92, issuer.remainder), object(0x9F32, issuer.exponent))
        profile.records.append(
            object(0x9F46, card.certificate) + (card.remainder.isEmpty ? [] : object(0x9F48, card.remainder))
                + object(0x9F47, card.exponent))
        return profile
    }

    private func run(_ card: TestCard) async throws -> KernelOutcome {
        let terminal = try TestKernel.terminal(keys: [Fixture.authorityKey()])
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
        return try await TestKernel(terminal: terminal, cardholder: cardholder).run(card)
    }

    // EMV Book 2 §7.2: the enciphered PIN holds the challenge that the card gave before
    // EMV Book 3 §6.5.6: GET CHALLENGE gives eight bytes
    // EMV Book 3 §6.5.12: P2 88 tells the card that the PIN is enciphered
    @Test func `the card's key opens the block that VERIFY carries`() async throws {
        let card = TestCard(try profile())
        let outcome = try await run(card)
        #expect(outcome.cvmResults.description == "440302")
        #expect(outcome.cardholderVerification == .encipheredOfflinePIN)
        let command = try #require(card.commands(0x20).first)
        #expect(command.p2 == 0x88)
        let opened = try Fixture.card().apply(command.data)
        #expect(Array(opened.prefix(17)).hexText == "7F" + "241234FFFFFFFFFF" + "0102030405060708")
    }

    // EMV Book 2 §7.1: without a genuine key of the card its enciphered PIN method fails
    @Test func `a certificate that is not genuine fails the method`() async throws {
        let card = TestCard(try profile { $0.hashDamage = 1 })
        let outcome = try await run(card)
        #expect(outcome.cvmResults.description == "1F0002")
        #expect(card.commands(0x20).isEmpty && card.commands(0x84).isEmpty)
    }

    // EMV Book 2 §7.2: a challenge of another length than eight bytes fails the method
    @Test func `a short challenge fails the method`() async throws {
        var broken = try profile()
        broken.challenge = [1, 2, 3, 4]
        let card = TestCard(broken)
        let outcome = try await run(card)
        #expect(outcome.cvmResults.description == "1F0002")
        #expect(card.commands(0x20).isEmpty)
    }
}
