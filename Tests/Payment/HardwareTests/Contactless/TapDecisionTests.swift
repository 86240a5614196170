import CardSecrets
import EMV
import EntryPoint
import Money
import SimulatedTime
import Simulator
import SmartCard
import Testing

@testable import Hardware
@testable import Payments

/// The till's own decisions about a kernel's outcome.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct TapDecisionTests {
    private static func approval(
        _ results: [UInt8]? = [0, 0, 0, 0, 0x81], cvm: ContactlessOutcome.CVM? = .noCVM
    ) -> ContactlessOutcome {
        ContactlessOutcome(
            .approved, cvm: cvm, dataRecord: results.map { TapCard.record(results: $0) } ?? TapCard.record)
    }

    /// The reason of a decline, and the card's details.
    private func declined(
        _ bench: TapBench, isForcedOnline: Bool = false
    ) async throws -> (UnderlyingError, CardDetails) {
        guard
            case .paymentCaptureWithPaymentMethod(let error, let details) = try await bench.fail(
                isForcedOnline: isForcedOnline)
        else { throw TapBench.Unexpected.approval }
        return (error, details)
    }

    // MARK: Offline approvals

    @Test(
        arguments: [
            // Byte 1: not authenticated, failed; byte 5: behind a relay.
            ([0x80, 0, 0, 0, 0x81], TerminalDeclineReason.cardNotAuthenticated),
            ([0x04, 0, 0, 0, 0x81], .cardNotAuthenticated),
            ([0, 0, 0, 0, 0x8A], .cardNotAuthenticated), ([0, 0, 0, 0, 0x86], .cardNotAuthenticated),
            // Byte 3: not verified, or by a PIN for the issuer; byte 4: the floor limit.
            ([0, 0, 0x80, 0, 0x81], .declinedByTerminal), ([0, 0, 0x04, 0, 0x81], .declinedByTerminal),
            ([0, 0, 0, 0x80, 0x81], .declinedByTerminal),
            // Not those of kernel 8, and none.
            ([0, 0, 0, 0, 0], .declinedByTerminal), (nil, .declinedByTerminal),
        ] as [([UInt8]?, TerminalDeclineReason)])
    func `an approval of a kernel that is not sure is not taken`(
        results: [UInt8]?, reason: TerminalDeclineReason
    ) async throws {
        let bench = try TapBench(outcomes: [Self.approval(results)])
        try await bench.connect()
        let (error, details) = try await declined(bench)
        #expect(error == .paymentDeclinedByCardReader(reason))
        #expect(details.entryMode == .contactless && bench.host.messages.isEmpty)
    }

    @Test(arguments: [(Int64(1250), true), (1249, false)])
    func `an approval above the floor limit is not taken`(floor: Int64, isTaken: Bool) async throws {
        let bench = try TapBench(
            outcomes: [Self.approval()],
            limits: { try ContactlessLimits(floor: try Money(minorUnits: floor, currency: $0)) })
        try await bench.connect()
        guard isTaken else {
            #expect(try await declined(bench).0 == .paymentDeclinedByCardReader(.declinedByTerminal))
            return
        }
        #expect(try await bench.pay().details.authorizationResponseCode == "Y1")
    }

    @Test(arguments: [
        (ContactlessOutcome.CVM.noCVM, false), (.onlinePIN, false), (nil, false), (.signature, true),
        (.confirmationCodeVerified, true),
    ])
    func `from the limit on, an approval needs a verified cardholder`(
        cvm: ContactlessOutcome.CVM?, isTaken: Bool
    ) async throws {
        let bench = try TapBench(
            outcomes: [Self.approval(cvm: cvm)],
            limits: { try ContactlessLimits(cvmRequired: try Money(minorUnits: 1250, currency: $0)) })
        try await bench.connect()
        guard isTaken else {
            #expect(try await declined(bench).0 == .paymentDeclinedByCardReader(.declinedByTerminal))
            return
        }
        #expect(try await bench.pay().details.authorizationResponseCode == "Y1")
    }

    // MARK: Who decides

    @Test func `a payment that is forced online is not approved offline, and kernels are told`() async throws {
        let bench = try TapBench(outcomes: [Self.approval()])
        try await bench.connect()
        let (error, _) = try await declined(bench, isForcedOnline: true)
        #expect(error == .paymentDeclinedByCardReader(.declinedByTerminal))
        #expect(bench.script.activations.map(\.demandsIssuer) == [true])
        let other = try TapBench()
        try await other.connect()
        _ = try await other.pay()
        #expect(other.script.activations.map(\.demandsIssuer) == [false])
    }

    @Test(arguments: [TerminalType(rawValue: 0x13), TerminalType(rawValue: 0x23), TerminalType(rawValue: 0x36)])
    func `a terminal that never goes online does not ask a host about a tap`(type: TerminalType?) async throws {
        let type = try #require(type)
        let bench = try TapBench(.contactless, terminal: try TerminalConfiguration(type: type))
        try await bench.connect()
        let (error, _) = try await declined(bench)
        #expect(error == .paymentDeclinedByCardReader(.declinedByTerminal) && bench.host.messages.isEmpty)
    }

    // MARK: The cardholder

    @Test func `without a PIN pad nobody has verified the cardholder`() async throws {
        let terminal = try TerminalConfiguration(capabilities: [.contactChip, .noCVMRequired])
        let bench = try TapBench(outcomes: [.online(cvm: .onlinePIN)], terminal: terminal)
        try await bench.connect()
        let (error, details) = try await declined(bench)
        #expect(error == .paymentDeclinedByCardReader(.pinRequired))
        #expect(details.cardholderVerification == .failed && bench.host.messages.isEmpty)
    }

    @Test(arguments: [
        ("55", CardDetails.CardholderVerification.failed), ("75", .failed), ("51", .onlinePIN), ("00", .onlinePIN),
    ])
    func `a PIN that the issuer refuses verifies nobody`(
        answer: String, verification: CardDetails.CardholderVerification
    ) async throws {
        let bench = try TapBench(
            outcomes: [.online(cvm: .onlinePIN)], answer: answer, pin: SealedBytes([1, 2, 3, 4]))
        try await bench.connect()
        if answer == "00" {
            #expect(try await bench.pay().details.cardholderVerification == verification)
        } else {
            #expect(try await declined(bench).1.cardholderVerification == verification)
        }
        #expect(bench.host.messages == ["authorize 07 0010 PIN"])
    }

    @Test func `a card that declines has not verified a PIN that nobody entered`() async throws {
        let bench = try TapBench(outcomes: [
            ContactlessOutcome(.declined, cvm: .onlinePIN, dataRecord: TapCard.record)
        ])
        try await bench.connect()
        #expect(try await declined(bench).1.cardholderVerification == .none)
    }

    // MARK: The details

    @Test(
        arguments: [
            ([0x00, 0, 0, 0, 0x81], CardDetails.OfflineDataAuthentication.local, "passed"),
            ([0x04, 0, 0, 0, 0x81], .local, "failed"), ([0x80, 0, 0, 0, 0x81], .none, "notPerformed"),
        ] as [([UInt8], CardDetails.OfflineDataAuthentication, String)])
    func `the details say how the card was authenticated`(
        results: [UInt8], method: CardDetails.OfflineDataAuthentication, result: String
    ) async throws {
        var outcome = ContactlessOutcome.online()
        outcome.dataRecord = TapCard.record(results: results)
        let bench = try TapBench(outcomes: [outcome])
        try await bench.connect()
        let details = try await bench.pay().details
        #expect(details.offlineDataAuthentication == method && details.offlineDataAuthenticationResult == result)
        #expect((details.offlineDataAuthenticationReason != nil) == (result == "failed"))
    }

    @Test func `the details have the languages of the card`() async throws {
        var outcome = ContactlessOutcome.online()
        outcome.uiOnOutcome?.languages = ["de", "en"]
        let bench = try TapBench(outcomes: [outcome])
        try await bench.connect()
        #expect(try await bench.pay().details.languages == ["de", "en"])
    }

    @Test func `a card whose account number and track differ is not sent to the host`() async throws {
        var outcome = ContactlessOutcome.online()
        let track = BERTLV.encode(0x57, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x28, 0xD3, 0x01, 0x22, 0x01])
        outcome.dataRecord = SecretDataObject(TapCard.record.value.withUnsafeBytes { Array($0) } + track)
        let bench = try TapBench(outcomes: [outcome])
        try await bench.connect()
        let mismatch = HostDataRecordError.accountMismatch.description
        #expect(try await bench.fail() == .paymentMethodCollection(.cardTapNotRead(mismatch)))
        #expect(bench.host.messages.isEmpty)
    }
}
