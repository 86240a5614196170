import EMV
import SmartCard
import Testing

/// Issuer scripts and issuer authentication on the wire (EMV Book 3 §10.9 and §10.10, Book 4 annex A5).
struct IssuerScriptTests {
    private func run(
        before: [[UInt8]] = [], after: [[UInt8]] = [], code: String = "00", authentication: String? = nil,
        _ change: (inout TestCard.Profile) -> Void = { _ in }
    ) async throws -> (outcome: KernelOutcome, card: TestCard) {
        var profile = TestCard.Profile.standard()
        change(&profile)
        let card = TestCard(profile)
        let issuer = TestIssuer(
            code: code, authenticationData: authentication.map { bytes($0) }, before: before, after: after)
        return (try await TestKernel(issuer: issuer).run(card), card)
    }

    private func results(_ outcome: KernelOutcome) -> String { outcome.iccData.first(0x9F5B)?.value.hexText ?? "" }

    // EMV Book 4 annex A5: the script results hold the number of the command that failed, and F from the fifteenth on
    // EMV Book 3 §10.10: a command that fails ends its script
    @Test(arguments: [(1, "11"), (2, "12"), (14, "1E"), (15, "1F"), (16, "1F")])
    func `the number of the failed command is reported up to fifteen`(number: Int, first: String) async throws {
        let commands = (1...16).map { tlv(0x86, $0 == number ? "8424000000" : "841E000000") }
        let (outcome, card) = try await run(after: [tlv(0x9F18, "01020304") + commands.flatMap(\.self)]) {
            $0.scripts = [0x24: StatusWord(0x6A, 0x80)]
        }
        #expect(results(outcome) == first + "01020304")
        // The rest of the script is left out.
        #expect(card.commands(0x1E).count == number - 1)
        #expect(card.commands(0x24).count == 1)
        #expect(outcome.decision == .approvedOnline)
    }

    // EMV Book 3 §10.10: every script is performed whatever became of the one before it
    // EMV Book 3 annex E: scripts that failed before and after the final cryptogram have a TVR bit each
    @Test func `sixteen scripts have sixteen results, whatever became of the others`() async throws {
        let scripts = (1...16).map { number -> [UInt8] in
            let command = number.isMultiple(of: 2) ? "8424000000" : "841E000000"
            return tlv(0x9F18, "000000" + (number < 16 ? "0" : "") + String(number, radix: 16)) + tlv(0x86, command)
        }
        let (outcome, card) = try await run(before: Array(scripts[..<8]), after: Array(scripts[8...])) {
            $0.scripts = [0x24: StatusWord(0x69, 0x85)]
        }
        #expect(outcome.scriptResults.count == 16)
        #expect(results(outcome).count == 160)
        #expect(outcome.scriptResults.map { $0.bytes[0] } == (1...16).map { $0.isMultiple(of: 2) ? 0x11 : 0x20 })
        #expect(outcome.scriptResults.map { $0.bytes[4] } == Array(1...16))
        #expect(card.commands(0x1E).count == 8 && card.commands(0x24).count == 8)
        #expect(outcome.verificationResults.contains(.scriptFailedBeforeFinalCryptogram))
        #expect(outcome.verificationResults.contains(.scriptFailedAfterFinalCryptogram))
    }

    // EMV Book 3 §10.10: a warning of the card does not end a script
    @Test(arguments: [(0x62, 0x83), (0x63, 0xC1), (0x90, 0x00)] as [(UInt8, UInt8)])
    func `a warning does not stop a script`(sw1: UInt8, sw2: UInt8) async throws {
        let (outcome, card) = try await run(after: [tlv(0x86, "8424000000") + tlv(0x86, "841E000000")]) {
            $0.scripts = [0x24: StatusWord(sw1, sw2)]
        }
        #expect(results(outcome) == "2000000000")
        #expect(card.commands(0x1E).count == 1)
        #expect(!outcome.verificationResults.contains(.scriptFailedAfterFinalCryptogram))
    }

    // EMV Book 3 §10.10: a script that cannot be taken apart is not performed, and the payment goes on
    // EMV Book 4 annex A5: a script that was not performed says so in its result and keeps its identifier
    // EMV Book 3 annex C6: the TSI says that script processing was performed even where no command could be sent
    @Test(arguments: [
        ("", "0000000000"), ("86", "0000000000"), ("9F1804AABBCCDD", "00AABBCCDD"),
        ("9F1804AABBCCDD8605841E0000", "00AABBCCDD"), ("9F1803AABBCC86058424000000", "0000000000"),
        ("9F1804AABBCCDD9F180411223344 8605841E000000", "00AABBCCDD"), ("9F1804AABBCC", "0000000000"),
    ])
    func `an unreadable script is not performed, and keeps its identifier`(template: String, expected: String)
        async throws
    {
        for isBefore in [true, false] {
            let (outcome, card) = try await run(
                before: isBefore ? [bytes(template)] : [], after: isBefore ? [] : [bytes(template)])
            #expect(results(outcome) == expected)
            #expect(card.commands(0x1E).isEmpty)
            #expect(outcome.decision == .approvedOnline)
            #expect(outcome.statusInformation.contains(.scriptProcessingPerformed))
        }
    }

    // EMV Book 3 §10.10: a malformed command ends its script as one that failed
    @Test func `an invalid command counts as failed`() async throws {
        let (outcome, card) = try await run(
            after: [tlv(0x86, "841E000000") + tlv(0x86, "841E") + tlv(0x86, "841E000000")])
        #expect(results(outcome) == "1200000000")
        #expect(card.commands(0x1E).count == 1)
    }

    // EMV Book 3 §10.10: of a script only its commands go to the card
    @Test func `objects that are no commands are passed over`() async throws {
        let (outcome, card) = try await run(
            after: [tlv(0xDF01, "AA") + tlv(0x86, "841E000000") + tlv(0x9F18, "00000009")])
        #expect(results(outcome) == "2000000009")
        #expect(card.commands(0x1E).count == 1)
    }

    // EMV Book 3 §10.10: commands go to the card as the issuer made them, one by one and whole
    @Test func `a script longer than a terminal has to take goes to the card all the same`() async throws {
        let command = tlv(0x86, "84DA9F58FA" + String(repeating: "5A", count: 250))
        let (outcome, card) = try await run(after: [command + command])
        #expect(results(outcome) == "2000000000")
        #expect(card.commands(0xDA).map(\.data.count) == [250, 250])
    }

    // EMV Book 3 §10.10: scripts are processed whether the issuer approved or not, template 71 before the final
    // cryptogram and 72 after
    @Test(arguments: ["05", "01", "00"])
    func `scripts are sent with any decision of the issuer`(code: String) async throws {
        let (outcome, card) = try await run(
            before: [tlv(0x86, "841E000000")], after: [tlv(0x86, "8424000000")], code: code)
        #expect(results(outcome) == "2000000000" + "2000000000")
        #expect(card.commands.map(\.ins).suffix(4) == [0xAE, 0x1E, 0xAE, 0x24])
    }

    // EMV Book 3 §10.9: a failed EXTERNAL AUTHENTICATE shows in the TVR, and the transaction goes on to the second
    // GENERATE AC
    // EMV Book 3 §6.5.4: EXTERNAL AUTHENTICATE is sent at most once in a transaction
    @Test(arguments: [(0x63, 0x00), (0x67, 0x00), (0x69, 0x85), (0x6A, 0x86)] as [(UInt8, UInt8)])
    func `failed issuer authentication is in the TVR and is done once`(sw1: UInt8, sw2: UInt8) async throws {
        let (outcome, card) = try await run(authentication: "1122334455667788") {
            $0.externalAuthenticate = StatusWord(sw1, sw2)
        }
        #expect(outcome.verificationResults.contains(.issuerAuthenticationFailed))
        #expect(outcome.statusInformation.contains(.issuerAuthenticationPerformed))
        #expect(card.commands(0x82).count == 1)
        // The card gets it in the second GENERATE AC and decides.
        #expect(card.commands(0xAE).last?.p1 == 0x40)
        #expect(card.commands(0xAE).last?.data.hexText.contains("8000008040") == true)
        #expect(outcome.decision == .approvedOnline)
    }

    // EMV Book 3 §6.5.4: issuer authentication data are 8 to 16 bytes long
    @Test(arguments: ["11223344556677", "1122334455667788990011223344556677", ""])
    func `authentication data of a wrong length do not go to the card`(data: String) async throws {
        let (outcome, card) = try await run(authentication: data)
        #expect(card.commands(0x82).isEmpty)
        #expect(outcome.verificationResults.contains(.issuerAuthenticationFailed))
        #expect(!outcome.statusInformation.contains(.issuerAuthenticationPerformed))
    }

    // EMV Book 3 §10.11: a card that declines after issuer authentication failed has the last word
    // EMV Book 3 §6.5.5.4: the cryptogram information says that issuer authentication failed
    @Test func `after failed issuer authentication and a decline of the card the approval is reversed`() async throws {
        let (outcome, _) = try await run(authentication: "1122334455667788") {
            $0.externalAuthenticate = StatusWord(0x63, 0x00)
            $0.second = { _ in 0x00 | 0x03 }
        }
        #expect(outcome.decision == .declinedByCard)
        #expect(outcome.isReversalRequired)
        #expect(outcome.cryptogram?.information.reason == .issuerAuthenticationFailed)
    }
}
