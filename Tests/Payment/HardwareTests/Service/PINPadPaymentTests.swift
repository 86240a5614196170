import EMV
import Payments
import SimulatedTime
import Simulator
import SmartCard
import Synchronization
import Testing

@testable import Hardware

/// Payments whose PIN is typed on the reader's own keys, from the key press to the issuer.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct PINPadPaymentTests {
    private final class Trace: Sendable {
        private let stored = Mutex<[String]>([])
        var lines: [String] { stored.withLock { $0 } }
        @Sendable func record(_ entry: TraceEntry) { stored.withLock { $0.append(entry.jsonLine) } }
    }

    private static func model(_ level: SimulatedReaderModel.ExchangeLevel) -> SimulatedReaderModel {
        var model = SimulatedReaderModel.pinpad
        model.level = level
        if level == .tpdu { model.features = SimulatedReaderModel.tpdu.features }
        return model
    }

    private func prompts(_ log: EventLog) -> [PINPrompt] {
        log.events.compactMap { event in
            if case .kernel(.enteringPIN(let prompt)) = event { prompt } else { nil }
        }
    }

    // EMV Book 3 §10.5.1: a plaintext PIN typed on the reader's keys goes to the card with VERIFY
    @Test(arguments: [SimulatedReaderModel.ExchangeLevel.tpdu, .shortAPDU, .extendedAPDU])
    func `the PIN goes from the reader's keys to the card`(level: SimulatedReaderModel.ExchangeLevel) async throws {
        let trace = Trace()
        let bench = try ServiceBench("pin-required", model: Self.model(level), trace: trace.record)
        let reader = try await bench.connect()
        #expect(reader.hasPINPad)
        let log = EventLog()
        let intent = try await bench.pay(onEvent: log.append)
        #expect(intent.details.cardholderVerification == .offlinePIN)
        #expect(prompts(log) == [PINPrompt(method: .offline, place: .reader, triesLeft: 3, isRetry: false)])
        #expect(trace.lines.contains(#"{"c":"0020008008****************","r":"9000"}"#))
        #expect(!trace.lines.contains { $0.contains("241234") })
    }

    // EMV Book 4 §6.3.4.1: after a wrong PIN the reader asks again and shows the tries that are left
    @Test func `a wrong PIN and then the correct one, with the remaining tries`() async throws {
        let bench = try ServiceBench("pin-required", model: .pinpad) {
            $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .digits(SealedBytes([1, 2, 3, 4]))]
        }
        try await bench.connect()
        let log = EventLog()
        #expect(try await bench.pay(onEvent: log.append).details.cardholderVerification == .offlinePIN)
        #expect(prompts(log).map(\.triesLeft) == [3, 2])
        #expect(prompts(log).map(\.isRetry) == [false, true])
    }

    // A cardholder without another PIN has not canceled: the PIN was wrong
    @Test(arguments: [SimulatedReaderModel.pinpad, .tpdu])
    func `a wrong PIN that ends the payment is a decline, with the card and the tries left`(
        model: SimulatedReaderModel
    ) async throws {
        let bench = try ServiceBench("pin-required", model: model) {
            $0.cardholder.pinEntries = [.digits(SealedBytes([9, 9, 9, 9])), .canceled]
        }
        try await bench.connect()
        let error = await #expect(throws: CardReaderServiceError.self) { try await bench.pay() }
        guard case .paymentCaptureWithPaymentMethod(let cause, let details)? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(cause == .paymentDeclinedByCardReader(.wrongPIN(triesLeft: 2)))
        #expect(cause.description == "declined: wrong PIN, 2 tries left")
        #expect(details.pinTriesLeft == 2 && details.lastFour?.count == 4 && details.brand == "visa")
        #expect(details.cardholderVerification == .failed)
        #expect(try await bench.issuer.ledger().entries.isEmpty)
    }

    @Test(arguments: [CardholderProfile.PINBehavior.canceled, .bypassed, .nothing])
    func `the cancel key and a timeout stop the payment`(entry: CardholderProfile.PINBehavior) async throws {
        let bench = try ServiceBench("pin-required", model: .pinpad) { $0.cardholder.pinEntries = [entry] }
        try await bench.connect()
        let error = await #expect(throws: CardReaderServiceError.self) { try await bench.pay() }
        #expect(error == .paymentMethodCollection(.commandCanceled(from: .reader)))
        #expect(try await bench.issuer.ledger().entries.isEmpty)
    }

    // EMV Book 4 §6.3.4.3: a PIN that is passed over sets the bits for a PIN not entered and for verification that
    // failed
    @Test func `with the bypass policy the cancel key bypasses the PIN`() async throws {
        let terminal = try TerminalConfiguration(pinPolicy: PINPolicy(readerRefusal: .bypasses))
        let bench = try ServiceBench("pin-required", model: .pinpad, terminal: terminal) {
            $0.cardholder.pinEntries = [.canceled]
        }
        try await bench.connect()
        do {
            let intent = try await bench.pay()
            #expect(intent.details.terminalVerificationResults?.dropFirst(4).prefix(2) == "88")
        } catch CardReaderServiceError.paymentCaptureWithPaymentMethod(_, let details) {
            #expect(details.terminalVerificationResults?.dropFirst(4).prefix(2) == "88")
        }
    }

    @Test func `removing the card during PIN entry ends the payment`() async throws {
        let bench = try ServiceBench("pin-required", model: .pinpad) { $0.cardholder.pinEntries = [.cardRemoved] }
        try await bench.connect()
        let log = EventLog()
        await #expect(throws: CardReaderServiceError.self) { try await bench.pay(onEvent: log.append) }
        #expect(log.events.contains(.cardRemoved))
        #expect(try await bench.issuer.ledger().entries.isEmpty)
    }

    @Test func `canceling the payment during PIN entry leaves the reader idle`() async throws {
        let bench = try ServiceBench("pin-required", model: .pinpad) { $0.cardholder.pinEntries = [.nothing] }
        try await bench.connect()
        let service = bench.service
        await #expect(throws: CardReaderServiceError.self) {
            try await bench.pay { event in
                if case .kernel(.enteringPIN) = event { Task { try? await service.cancelPaymentIntent() } }
            }
        }
        #expect(try await bench.issuer.ledger().entries.isEmpty)
    }

    // EMV Book 3 §10.5.1: an enciphered offline PIN verifies the cardholder from the typed digits to the card's
    // answer
    @Test func `an enciphered PIN is entered at the terminal`() async throws {
        let keys = try TestKeys.embedded()
        let terminal = TerminalConfiguration.standard.adding(certificationAuthorityKeys: [
            try keys.certificationAuthorityPublicKey(rid: [0xA0, 0, 0, 0, 0x04])
        ])
        let bench = try ServiceBench("pin-enciphered", model: .pinpad, terminal: terminal)
        try await bench.connect()
        let log = EventLog()
        let intent = try await bench.pay(onEvent: log.append)
        #expect(intent.details.cardholderVerification == .encipheredOfflinePIN)
        #expect(intent.details.cardholderVerification.words == "offline PIN, enciphered")
        #expect(prompts(log).map(\.place) == [.terminal])
    }

    @Test func `the same payment always has the same events`() async throws {
        func run() async throws -> [String] {
            let trace = Trace()
            let bench = try ServiceBench("pin-required", model: .pinpad, trace: trace.record)
            try await bench.connect()
            _ = try await bench.pay()
            return trace.lines + ["\(bench.clock.now())"]
        }
        let first = try await run()
        for _ in 0..<3 { #expect(try await run() == first) }
    }
}
