import SmartCard
import Testing

@testable import EMV

/// The decision by terminal type, action codes, and the card's response (EMV Book 3 §10.7 to §10.11, Book 4 §6.3.6).
struct DecisionTableTests {
    private static let finding = TerminalVerificationResults.offlineDataAuthenticationNotPerformed

    private static func iac(denial: Bool = false, online: Bool = false, default: Bool = false) -> [UInt8] {
        func code(_ isSet: Bool) -> String { isSet ? "8000000000" : "0000000000" }
        return tlv(0x9F0E, code(denial)) + tlv(0x9F0F, code(online)) + tlv(0x9F0D, code(`default`))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var types: [UInt8]
        /// Which codes have the bit that is found: d, o, f; capitals for the issuer's.
        var codes: String
        var reachable = true
        var decision: TransactionDecision
        var arc: String?
        /// What the card is asked for.
        var asked: [UInt8]

        var testDescription: String { "\(types) \(codes) \(reachable)" }
    }

    private static let onlineOnly: [UInt8] = [0x11, 0x14, 0x21, 0x24, 0x34]
    private static let capable: [UInt8] = [0x12, 0x15, 0x22, 0x25, 0x35]
    private static let offlineOnly: [UInt8] = [0x13, 0x16, 0x23, 0x26, 0x36]

    static let rows: [Row] = [
        // Denial comes first for every terminal type.
        Row(
            types: onlineOnly + capable + offlineOnly, codes: "d", decision: .declinedOffline, arc: "Z1", asked: [0x00]),
        Row(
            types: onlineOnly + capable + offlineOnly, codes: "D", decision: .declinedOffline, arc: "Z1", asked: [0x00]),
        Row(
            types: onlineOnly + capable + offlineOnly, codes: "DofOF", decision: .declinedOffline, arc: "Z1",
            asked: [0x00]),
        // Online-only terminals always go online.
        Row(types: onlineOnly, codes: "", decision: .approvedOnline, arc: "00", asked: [0x80, 0x40]),
        Row(types: onlineOnly, codes: "fF", decision: .approvedOnline, arc: "00", asked: [0x80, 0x40]),
        Row(
            types: onlineOnly, codes: "", reachable: false, decision: .declinedOffline, arc: "Z3", asked: [0x80, 0x00]),
        // Terminals that can go online do so if an action code requires it.
        Row(types: capable, codes: "", decision: .approvedOffline, arc: "Y1", asked: [0x40]),
        Row(types: capable, codes: "fF", decision: .approvedOffline, arc: "Y1", asked: [0x40]),
        Row(types: capable, codes: "o", decision: .approvedOnline, arc: "00", asked: [0x80, 0x40]),
        Row(types: capable, codes: "O", decision: .approvedOnline, arc: "00", asked: [0x80, 0x40]),
        Row(types: capable, codes: "o", reachable: false, decision: .approvedOffline, arc: "Y3", asked: [0x80, 0x40]),
        Row(types: capable, codes: "of", reachable: false, decision: .declinedOffline, arc: "Z3", asked: [0x80, 0x00]),
        Row(types: capable, codes: "OF", reachable: false, decision: .declinedOffline, arc: "Z3", asked: [0x80, 0x00]),
        // Offline-only terminals go by default, at once.
        Row(types: offlineOnly, codes: "oO", decision: .approvedOffline, arc: "Y1", asked: [0x40]),
        Row(types: offlineOnly, codes: "f", decision: .declinedOffline, arc: "Z1", asked: [0x00]),
        Row(types: offlineOnly, codes: "F", decision: .declinedOffline, arc: "Z1", asked: [0x00]),
    ]

    // EMV Book 3 §10.7: the denial codes are compared first, then online at terminals that can go online, and default
    // where the issuer is not asked
    // EMV Book 4 §6.3.6: an online-only terminal asks the issuer whatever the online codes say
    // EMV Book 4 annex A6: each decision without the issuer has a response code of its own
    @Test(arguments: rows)
    func `terminal type and action codes decide`(row: Row) async throws {
        func mask(_ letter: Character) -> TerminalVerificationResults { row.codes.contains(letter) ? Self.finding : [] }
        for type in row.types {
            let terminal = try TestKernel.terminal(
                type: type, floorLimit: 10_000,
                actionCodes: ActionCodes(denial: mask("d"), online: mask("o"), default: mask("f")))
            let issuer = row.reachable ? TestIssuer(code: "00") : TestIssuer(.unableToGoOnline)
            let card = TestCard(
                .standard(
                    Self.iac(
                        denial: row.codes.contains("D"), online: row.codes.contains("O"),
                        default: row.codes.contains("F"))))
            let outcome = try await TestKernel(terminal: terminal, issuer: issuer).run(card)
            #expect(outcome.decision == row.decision, "type \([type].hexText)")
            #expect(outcome.responseCode?.description == row.arc, "type \([type].hexText)")
            #expect(card.commands(0xAE).map { $0.p1 & 0xC0 } == row.asked, "type \([type].hexText)")
            #expect(outcome.wasSentOnline == row.asked.contains(0x80), "type \([type].hexText)")
        }
    }

    // EMV Book 3 §10.7: missing issuer codes count as zeros for denial and as ones for online and default
    @Test
    func `a card without issuer codes is not denied, goes online for every finding, and is declined without a line`()
        async throws
    {
        let terminal = try TestKernel.terminal(floorLimit: 10_000)
        let online = try await TestKernel(terminal: terminal).run(TestCard(.standard()))
        #expect(online.decision == .approvedOnline)
        let alone = try await TestKernel(terminal: terminal, issuer: TestIssuer(.unableToGoOnline)).run(
            TestCard(.standard()))
        #expect(alone.decision == .declinedOffline)
        #expect(alone.responseCode?.description == "Z3")
    }

    // EMV Book 3 §10.7: one bit that the TVR and an action code share is enough, and the codes of issuer and terminal
    // count alike
    @Test(arguments: 0..<40)
    func `every bit of the TVR decides by itself`(bit: Int) {
        let finding = TerminalVerificationResults(rawValue: 1 << UInt64(bit))
        let others = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF).subtracting(finding)
        func analysis(_ codes: ActionCodes, issuer: ActionCodes) -> TerminalActionAnalysis {
            TerminalActionAnalysis(
                denial: issuer.denial, online: issuer.online, default: issuer.default, terminal: codes,
                connectivity: .offlineWithOnline)
        }
        let none = ActionCodes(denial: [], online: [], default: [])
        for isIssuer in [false, true] {
            func first(_ codes: ActionCodes) -> CryptogramType {
                (isIssuer ? analysis(none, issuer: codes) : analysis(codes, issuer: none)).first(finding).cryptogram
            }
            func last(_ codes: ActionCodes) -> CryptogramType {
                (isIssuer ? analysis(none, issuer: codes) : analysis(codes, issuer: none)).unableToGoOnline(finding)
                    .cryptogram
            }
            #expect(first(ActionCodes(denial: finding, online: [], default: [])) == .aac)
            #expect(first(ActionCodes(denial: [], online: finding, default: [])) == .arqc)
            #expect(first(ActionCodes(denial: others, online: others, default: others)) == .tc)
            #expect(last(ActionCodes(denial: [], online: [], default: finding)) == .aac)
            #expect(last(ActionCodes(denial: others, online: others, default: others)) == .tc)
        }
    }

    // MARK: What the card answers

    struct Answer: Sendable, CustomTestStringConvertible {
        /// The bits of the first GENERATE AC's P1 that the terminal comes to.
        var asked: UInt8
        var answered: UInt8
        var decision: TransactionDecision
        var arc: String?
        var isSent = false

        var testDescription: String { "\([asked].hexText) \([answered].hexText)" }
    }

    static let answers: [Answer] = [
        Answer(asked: 0x40, answered: 0x40, decision: .approvedOffline, arc: "Y1"),
        Answer(asked: 0x40, answered: 0x80, decision: .approvedOnline, arc: "00", isSent: true),
        Answer(asked: 0x40, answered: 0x00, decision: .declinedByCard, arc: "Z1"),
        Answer(asked: 0x80, answered: 0x80, decision: .approvedOnline, arc: "00", isSent: true),
        Answer(asked: 0x80, answered: 0x00, decision: .declinedByCard, arc: "Z1"),
        Answer(
            asked: 0x80, answered: 0x40, decision: .terminated(.cryptogramNotAsked(requested: .arqc, received: .tc))),
        Answer(asked: 0x00, answered: 0x00, decision: .declinedOffline, arc: "Z1"),
        Answer(
            asked: 0x00, answered: 0x40, decision: .terminated(.cryptogramNotAsked(requested: .aac, received: .tc)),
            arc: "Z1"),
        Answer(
            asked: 0x00, answered: 0x80, decision: .terminated(.cryptogramNotAsked(requested: .aac, received: .arqc)),
            arc: "Z1"),
        Answer(
            asked: 0x40, answered: 0xC0, decision: .terminated(.malformedAnswer(.generateApplicationCryptogram)),
            arc: "Y1"),
        Answer(
            asked: 0x80, answered: 0xC0, decision: .terminated(.malformedAnswer(.generateApplicationCryptogram))),
    ]

    // EMV Book 3 §10.8: a card may answer the first GENERATE AC with what was asked or with less
    // EMV Book 3 §6.5.5.4: a cryptogram type that has no meaning ends the transaction
    @Test(arguments: answers)
    func `the card answers the first GENERATE AC with the requested cryptogram, or a lower one`(answer: Answer)
        async throws
    {
        var profile = TestCard.Profile.standard(
            Self.iac(denial: answer.asked == 0x00, online: answer.asked == 0x80))
        profile.first = { _ in answer.answered }
        let card = TestCard(profile)
        let outcome = try await TestKernel(terminal: try TestKernel.terminal(floorLimit: 10_000)).run(card)
        #expect(card.commands(0xAE).first.map { $0.p1 & 0xC0 } == answer.asked)
        #expect(outcome.decision == answer.decision)
        #expect(outcome.responseCode?.description == answer.arc)
        #expect(outcome.wasSentOnline == answer.isSent)
        #expect(!outcome.isReversalRequired)
    }

    struct Completed: Sendable, CustomTestStringConvertible {
        /// What the issuer answers; nil when it is not reached.
        var code: String?
        /// Whether the codes let the card approve without the issuer.
        var mayApprove = true
        var answered: UInt8
        var decision: TransactionDecision
        var reversal = false

        var testDescription: String { "\(code ?? "unable") \(mayApprove) \([answered].hexText)" }
    }

    private static func notAsked(_ requested: CryptogramType, _ received: CryptogramType) -> TransactionDecision {
        .terminated(.cryptogramNotAsked(requested: requested, received: received))
    }

    private static let malformed = TransactionDecision.terminated(.malformedAnswer(.generateApplicationCryptogram))

    static let completions: [Completed] = [
        Completed(code: "00", answered: 0x40, decision: .approvedOnline),
        // The issuer approved, and the payment was not made.
        Completed(code: "00", answered: 0x00, decision: .declinedByCard, reversal: true),
        Completed(code: "00", answered: 0x80, decision: notAsked(.tc, .arqc), reversal: true),
        Completed(code: "00", answered: 0xC0, decision: malformed, reversal: true),
        // The card cannot approve what the issuer declines.
        Completed(code: "05", answered: 0x00, decision: .declinedOnline),
        Completed(code: "05", answered: 0x40, decision: .declinedOnline),
        Completed(code: "05", answered: 0x80, decision: .declinedOnline),
        Completed(code: "05", answered: 0xC0, decision: .declinedOnline),
        Completed(code: "01", answered: 0x00, decision: .referred),
        Completed(code: "02", answered: 0x40, decision: .referred),
        // There was no response.
        Completed(code: nil, answered: 0x40, decision: .approvedOffline),
        Completed(code: nil, answered: 0x00, decision: .declinedByCard),
        Completed(code: nil, answered: 0x80, decision: notAsked(.tc, .arqc)),
        Completed(code: nil, mayApprove: false, answered: 0x00, decision: .declinedOffline),
        Completed(code: nil, mayApprove: false, answered: 0x40, decision: notAsked(.aac, .tc)),
        Completed(code: nil, mayApprove: false, answered: 0x80, decision: notAsked(.aac, .arqc)),
    ]

    // EMV Book 3 §10.11: a card may answer the second GENERATE AC with a TC or an AAC and with nothing else
    @Test(arguments: completions)
    func `the card answers the second GENERATE AC with the requested cryptogram, or declines`(row: Completed)
        async throws
    {
        var profile = TestCard.Profile.standard(Self.iac(online: true, default: !row.mayApprove))
        profile.second = { _ in row.answered }
        let issuer = row.code.map { TestIssuer(code: $0) } ?? TestIssuer(.unableToGoOnline)
        let outcome = try await TestKernel(
            terminal: try TestKernel.terminal(floorLimit: 10_000), issuer: issuer
        ).run(TestCard(profile))
        #expect(outcome.decision == row.decision)
        #expect(outcome.isReversalRequired == row.reversal)
        #expect(outcome.wasSentOnline)
    }

    // EMV Book 4 §6.5: a payment that the merchant forces online is decided by the action codes
    @Test func `a payment that the merchant forces online goes to the issuer if an action code requires it`()
        async throws
    {
        let forced = TerminalVerificationResults.merchantForcedOnline
        let codes = ActionCodes(denial: [], online: forced, default: forced)
        for (type, decision, code) in [
            (0x21 as UInt8, TransactionDecision.approvedOnline, "00"), (0x22, .approvedOnline, "00"),
            (0x23, .approvedOffline, "Y1"),
        ] {
            let outcome = try await TestKernel(
                terminal: try TestKernel.terminal(type: type, floorLimit: 10_000, actionCodes: codes)
            ).run(TestCard(.standard(TestKernel.permissiveIssuer)), try TestKernel.request(forcedOnline: true))
            #expect(outcome.decision == decision)
            #expect(outcome.responseCode?.description == code)
            #expect(outcome.verificationResults.contains(forced) == (type != 0x23))
        }
    }
}
