import CardSecrets
import Determinism
import EMV
import Money
import SmartCard

/// A payment with an arbitrary environment: terminal, merchant's decision, card, cardholder, and issuer.
/// Its result must follow ``OutcomeRules``.
struct ArbitraryPayment {
    /// Where the card's answers come from.
    enum Card {
        /// A good card, one of `count` answers of which is changed.
        case changed(oneIn: Int)
        /// Bytes with no card behind them.
        case cut
        /// The given card.
        case given(any CardChannel)
    }

    let terminal: TerminalConfiguration
    let request: TransactionRequest
    let profile: TestCard.Profile
    let cardholder: TestCardholder
    let issuer: CheckingIssuer
    let history: (any CardHistory)?
    private let choices: Choices

    /// - Parameters:
    ///   - choices: what everything is made of.
    ///   - genuine: the cryptograms that the issuer takes for its card's; nil for all.
    /// - Throws: when the keys and certificates of the test cards cannot be made.
    init(_ choices: Choices, genuine: Set<[UInt8]>? = Self.cryptograms.union(Self.signedCryptograms)) throws {
        self.choices = choices
        terminal = try Self.terminal(choices)
        request = try TestKernel.request(
            choices.element(of: [1_250, 20_000, 0, 1]), cashback: choices.happens(oneIn: 8) ? 1 : nil,
            kind: choices.element(of: [.goodsOrServices, .cash, .refund, .goodsOrServices]),
            forcedOnline: choices.happens(oneIn: 8))
        profile = try Self.profile(choices)
        let pins: [TestCardholder.PIN] = [.digits([1, 2, 3, 4]), .bypass, .unavailable, .digits([1]), .cancel]
        let entered = (0..<8).map { _ in choices.element(of: [pins[0], pins[0], pins[0]] + pins) }
        let cancels = choices.happens(oneIn: 16)
        cardholder = TestCardholder(pins: entered, canEncipher: !choices.happens(oneIn: 8)) { offered in
            cancels ? nil : offered.count - 1
        }
        issuer = CheckingIssuer(Self.answer(choices), genuine: genuine)
        history = choices.happens(oneIn: 8) ? History() : nil
    }

    /// Runs the payment.
    ///
    /// - Returns: how it ended, and the rules that it broke, in words.
    func run(_ card: Card) async -> (outcome: KernelOutcome, violations: [String]) {
        let arbitrary: (any ArbitraryCard)?
        let channel: any CardChannel
        switch card {
        case .changed(let count):
            let card = ChangedCard(TestCard(profile), choices, oneIn: count)
            (arbitrary, channel) = (card, card)
        case .cut:
            let card = CutCard(choices)
            (arbitrary, channel) = (card, card)
        case .given(let card): (arbitrary, channel) = (nil, card)
        }
        // The same numbers every time: the signatures of recorded cards stay valid.
        let kernel = ContactKernel(
            terminal: terminal, cardholder: cardholder, authorizer: issuer, history: history,
            random: SeededRandomSource(seed: 1))
        let outcome = await kernel.run(request, on: channel)
        let rules = OutcomeRules(
            outcome: outcome, terminal: terminal, request: request, issuerAnswers: issuer.answers,
            prompts: cardholder.prompts.count + (arbitrary?.pinPad.entries ?? 0), choices: cardholder.choices.count)
        return (outcome, rules.violations)
    }

    /// The cryptograms that the test card makes without a signature.
    static let cryptograms: Set<[UInt8]> = Set([0xA1, 0xA2].map { [UInt8](repeating: $0, count: 8) })
    /// The cryptograms that it signs.
    static let signedCryptograms = Set([1, 2].map(SigningFixture.Combined.cryptogram))

    private struct History: CardHistory {
        func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool { true }
        func recentAmount(
            _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
        ) async -> Int64 { 9_000 }
    }
}

extension ArbitraryPayment {
    /// No authentication, or one that failed.
    static let notAuthenticated = TerminalVerificationResults([
        .offlineDataAuthenticationNotPerformed, .sdaFailed, .ddaFailed, .cdaFailed,
    ])

    private static func terminal(_ choices: Choices) throws -> TerminalConfiguration {
        let everything = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        let codes: [ActionCodes] = [
            ActionCodes(denial: [], online: .floorLimitExceeded, default: []),
            ActionCodes(denial: notAuthenticated, online: [], default: notAuthenticated),
            ActionCodes(denial: [], online: [], default: []),
            ActionCodes(denial: .expiredApplication, online: everything, default: everything),
        ]
        // Readers with keys, and terminals that have no others.
        let onlyReader = choices.happens(oneIn: 8)
        return try TestKernel.terminal(
            type: choices.element(of: [0x22, 0x22, 0x21, 0x23, 0x24, 0x25, 0x26, 0x14]),
            capabilities: onlyReader
                ? "20A8C8" : choices.element(of: ["20F8C8", "20F8C8", "20F8C0", "206880", "200000"]),
            floorLimit: choices.element(of: [10_000, 0]),
            randomSelection: choices.happens(oneIn: 4)
                ? try RandomSelection(threshold: 100, targetPercentage: 50, maximumPercentage: 99) : .never,
            actionCodes: choices.element(of: codes),
            pinPolicy: PINPolicy(
                allowsBypass: !choices.happens(oneIn: 4), bypassCoversLaterMethods: !choices.happens(oneIn: 4),
                entry: onlyReader ? .reader : .readerFirst,
                readerRefusal: choices.element(of: PINPolicy.Refusal.allCases)),
            keys: [try authority.get()], choice: !choices.happens(oneIn: 4),
            defaultTDOL: choices.happens(oneIn: 2) ? bytes("9F0206") : nil)
    }

    private static let authority = Result { try CertificateFixture.authorityKey() }

    private static func profile(_ choices: Choices) throws -> TestCard.Profile {
        var profile = choices.element(of: try profiles.get())
        if choices.happens(oneIn: 2) {
            profile.directory = [tlv(0x61, BERTLV.encode(0x4F, TestCard.Profile.visa), tlv(0x87, "01"))]
        }
        if choices.happens(oneIn: 4) { profile.applications += profile.applications }
        profile.first = choices.element(of: [{ $0 }, { $0 == 0 ? 0 : 0x80 }, { _ in 0x00 }, { _ in 0x40 }, { $0 | 8 }])
        profile.second = choices.element(of: [{ $0 }, { $0 }, { _ in 0x00 }, { _ in 0x40 }, { _ in 0x80 }])
        profile.usesFormat2 = choices.happens(oneIn: 2)
        profile.verify = choices.element(of: [[], [StatusWord(0x63, 0xC2), .success], [StatusWord(0x63, 0xC0)]])
        profile.externalAuthenticate = choices.element(of: [.success, .authenticationFailed])
        if choices.happens(oneIn: 4) {
            profile.scripts = [0x24: StatusWord(0x69, 0x85), 0x18: StatusWord(0x62, 0x00)]
        }
        profile.data = choices.element(of: [
            [:], [0x9F17: [3], 0x9F36: bytes("0005"), 0x9F13: bytes("0004")],
            [0x9F17: [0], 0x9F36: bytes("0009"), 0x9F13: bytes("0000")],
        ])
        return profile
    }

    /// Cards that differ in what is certified, made once.
    private static let profiles = Result {
        let limits = tlv(0x9F14, "03") + tlv(0x9F23, "05")
        let codes = tlv(0x9F0E, "0000000000") + tlv(0x9F0F, "FFFFFFFFFF") + tlv(0x9F0D, "FC00000000")
        return [
            TestCard.Profile.standard(TestKernel.permissiveIssuer),
            .standard(cvmList: "0000000000000000 4103 4403 4203 5E03 1F00", TestKernel.permissiveIssuer, limits),
            .standard(cvmList: "0000000A00000014 0203 4606 0301 0504 5E08 1F02", codes),
            try .authenticated(aip: "5C00", tagList: "82"),
            try .authenticated(aip: "3C00", ddol: "9F3704 9A03"),
            try .authenticated(aip: "1D00"),
            try .authenticated(aip: "1900", limits),
            try .authenticated(aip: "7D00"),
        ]
    }

    private static func answer(_ choices: Choices) -> OnlineAuthorizationResult {
        let code: [UInt8]
        switch choices.number(below: 12) {
        case 0...3: code = Array("00".utf8)
        case 4: code = Array("10".utf8)
        case 5, 6: code = Array("05".utf8)
        case 7: code = Array("01".utf8)
        case 8: code = Array("Y1".utf8)
        case 9: code = choices.bytes(choices.number(below: 4))
        default: return .unableToGoOnline
        }
        return .answered(
            IssuerAnswer(
                authorizationResponseCode: code, authorizationCode: choices.happens(oneIn: 2) ? "123456" : nil,
                issuerAuthenticationData: choices.happens(oneIn: 2)
                    ? choices.bytes(choices.element(of: [8, 10, 16, 0, 7, 17])) : nil,
                scriptsBeforeFinal: scripts(choices), scriptsAfterFinal: scripts(choices)))
    }

    private static func scripts(_ choices: Choices) -> [[UInt8]] {
        (0..<choices.number(below: 3)).map { _ in
            switch choices.number(below: 4) {
            case 0: tlv(0x9F18, "11223344") + tlv(0x86, "8424000000") + tlv(0x86, "8418000000")
            case 1: tlv(0x86, "8416000004AABBCCDD")
            case 2: BERTLV.encode(0x86, choices.bytes(choices.number(below: 12)))
            default: choices.bytes(choices.number(below: 24))
            }
        }
    }
}
