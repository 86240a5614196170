import CardSecrets
import EMV
import SmartCard
import Synchronization
import Testing

/// The language that the card prefers, and the choice of an account.
struct CardholderChoiceTests {
    /// A cardholder who chooses an account, and remembers the offers.
    private final class Chooser: CardholderInterface {
        let answer: UInt8?
        private let state = Mutex<[([UInt8], [String])]>([])

        init(_ answer: UInt8?) { self.answer = answer }

        var offers: [[UInt8]] { state.withLock { $0.map(\.0) } }
        var languages: [[String]] { state.withLock { $0.map(\.1) } }

        func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }

        func chooseAccountType(_ types: [UInt8], languages: [String]) async -> UInt8? {
            state.withLock { $0.append((types, languages)) }
            return answer
        }

        func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .unavailable }

        func encipherPIN(
            _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
        ) async -> EncipheredPINBlock? { nil }
    }

    private static let accountInPDOL = tlv(0x9F38, "5F5701")

    private func run(
        _ profile: TestCard.Profile, offering types: [UInt8], chooser: Chooser, chosen: UInt8? = nil
    ) async throws -> (outcome: KernelOutcome, card: TestCard) {
        var terminal = try TestKernel.terminal()
        terminal.accountTypes = types
        let card = TestCard(profile)
        let kernel = ContactKernel(
            terminal: terminal, cardholder: chooser, authorizer: TestIssuer(code: "00"),
            random: TestKernel().random)
        var request = try TestKernel.request()
        request.accountType = chosen
        return (await kernel.run(request, on: card), card)
    }

    // EMV Book 3 annex G: the account type that the cardholder chose goes to the card that asks for it
    @Test(arguments: [true, false])
    func `the account is offered when the card asks for it`(isInPDOL: Bool) async throws {
        var profile = TestCard.Profile.standard()
        if isInPDOL {
            profile.applications[0].proprietary = Self.accountInPDOL
        } else {
            profile.records[1] =
                tlv(0x8C, TestCard.Profile.cdol1.hexText + "5F5701") + tlv(0x8D, TestCard.Profile.cdol2.hexText)
                + tlv(0x8E, "00000000 00000000 1F00")
        }
        let chooser = Chooser(0x20)
        let (outcome, card) = try await run(profile, offering: [0x10, 0x20], chooser: chooser)
        #expect(outcome.decision == .approvedOnline)
        #expect(chooser.offers == [[0x10, 0x20]])
        #expect(outcome.accountType == 0x20)
        let sent = try #require(card.commands(isInPDOL ? 0xA8 : 0xAE).first)
        #expect(sent.data.last == 0x20)
    }

    @Test func `the account is offered once, and only where terminal and card support it`() async throws {
        var profile = TestCard.Profile.standard()
        let silent = Chooser(0x10)
        #expect(try await run(profile, offering: [0x10], chooser: silent).outcome.accountType == nil)
        profile.applications[0].proprietary = Self.accountInPDOL
        #expect(try await run(profile, offering: [], chooser: silent).outcome.accountType == nil)
        #expect(try await run(profile, offering: [0x10], chooser: silent, chosen: 0x30).outcome.accountType == 0x30)
        #expect(silent.offers.isEmpty)
        // The default account, and a type that was not offered.
        for answer in [nil, 0x30] as [UInt8?] {
            let chooser = Chooser(answer)
            let (outcome, card) = try await run(profile, offering: [0x10], chooser: chooser)
            #expect(outcome.accountType == nil)
            #expect(card.commands(0xA8).first?.data.last == 0x00)
            #expect(chooser.offers.count == 1)
        }
    }

    // EMV Book 4 §11.1: the card states up to four languages, the first one most preferred
    @Test(arguments: [
        ("64656672", ["de", "fr"]), ("4445", ["de"]), ("", []), ("6465660A", []), ("646566", []),
        ("656E646566726974", ["en", "de", "fr", "it"]), ("656E6465667269746573", []),
    ])
    func `the preferred languages come with the outcome and the questions`(value: String, expected: [String])
        async throws
    {
        var profile = TestCard.Profile.standard(cvmList: "00000000 00000000 0200")
        profile.applications[0].proprietary = Self.accountInPDOL + (value.isEmpty ? [] : tlv(0x5F2D, value))
        let chooser = Chooser(nil)
        let outcome = try await run(profile, offering: [0x10], chooser: chooser).outcome
        #expect(outcome.application?.languages == expected)
        #expect(chooser.languages == [expected])
        let cardholder = TestCardholder(pins: [.digits([1, 2, 3, 4])])
        let kernel = TestKernel(terminal: try TestKernel.terminal(capabilities: "20F8C8"), cardholder: cardholder)
        let states = Recorder<KernelState>()
        _ = try await kernel.run(TestCard(profile)) { states.record($0) }
        #expect(cardholder.prompts.map(\.languages) == [expected])
        let stated = states.values.compactMap { state in
            if case .initiatingApplication(_, let languages) = state { languages } else { nil }
        }
        #expect(stated == [expected])
    }
}
