import EMV
import SmartCard
import Synchronization
import Testing

/// A test card in a reader with a PIN pad.
private final class TestPINPad: PINPadCardChannel {
    let card: TestCard
    let hasPINPad: Bool
    private let answers: Mutex<[Result<PINPadAnswer, CardChannelError>]>
    private let seen = Mutex<[PINPadEntry]>([])

    init(
        _ rules: String, _ answers: [Result<PINPadAnswer, CardChannelError>], triesLeft: UInt8? = 3,
        verify: [StatusWord] = [.success], hasPINPad: Bool = true
    ) {
        var profile = TestCard.Profile.standard(cvmList: "0000000000000000 " + rules)
        profile.verify = verify
        if let triesLeft { profile.data[0x9F17] = [triesLeft] }
        card = TestCard(profile)
        self.answers = Mutex(answers)
        self.hasPINPad = hasPINPad
    }

    var entries: [PINPadEntry] { seen.withLock { $0 } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await card.transmit(command)
    }

    func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer {
        seen.withLock { $0.append(entry) }
        return try answers.withLock { $0.isEmpty ? .failure(.cardMute) : $0.removeFirst() }.get()
    }
}

/// Plaintext offline PIN on the reader's own keys (EMV Book 3 §10.5.1, Book 4 §6.3.4).
struct ReaderPINPadTests {
    private static let pin = TestCardholder.PIN.digits([1, 2, 3, 4])

    struct Case: Sendable {
        var name: String
        var rules: String
        var answers: [Result<PINPadAnswer, CardChannelError>] = []
        var policy = PINPolicy()
        var type: UInt8 = 0x22
        var capabilities = "20F800"
        var hasPINPad = true
        /// What is typed at the terminal.
        var pins: [TestCardholder.PIN] = []
        /// nil: the payment was stopped.
        var results: String?
        var byte3: UInt8 = 0
        /// How often the reader asked, and the terminal.
        var asked: (reader: Int, terminal: Int)
        /// How many VERIFY commands the host sent.
        var verifications = 0
    }

    private static let cases: [Case] = [
        Case(
            name: "the right PIN", rules: "4103 1F00", answers: [.success(.verified(.success))], results: "410302",
            asked: (1, 0)),
        Case(
            name: "PIN and signature", rules: "4303 1F00", answers: [.success(.verified(.success))], results: "430300",
            asked: (1, 0)),
        Case(
            name: "wrong, then right", rules: "0100",
            answers: [.success(.verified(StatusWord(0x63, 0xC1))), .success(.verified(.success))], results: "010002",
            asked: (2, 0)),
        Case(
            name: "wrong until blocked", rules: "4100 1F00",
            answers: [.success(.verified(StatusWord(0x63, 0xC1))), .success(.verified(StatusWord(0x63, 0xC0)))],
            results: "1F0002", byte3: 0x20, asked: (2, 0)),
        Case(
            name: "blocked", rules: "0100", answers: [.success(.verified(.authenticationMethodBlocked))],
            results: "010001", byte3: 0xA0, asked: (1, 0)),
        Case(
            name: "VERIFY refused", rules: "4100 1F00", answers: [.success(.verified(.instructionNotSupported))],
            results: "1F0002", asked: (1, 0)),
        Case(name: "cancel key", rules: "4100 1F00", answers: [.success(.canceled)], results: nil, asked: (1, 0)),
        Case(name: "time over", rules: "4100 1F00", answers: [.success(.timedOut)], results: nil, asked: (1, 0)),
        Case(
            name: "cancel key that passes the PIN over, the online PIN too", rules: "4100 4200 1F00",
            answers: [.success(.canceled)], policy: PINPolicy(readerRefusal: .bypasses), results: "1F0002",
            byte3: 0x08, asked: (1, 0)),
        Case(
            name: "time over, and the PIN is passed over", rules: "0100", answers: [.success(.timedOut)],
            policy: PINPolicy(readerRefusal: .bypasses), results: "010001", byte3: 0x88, asked: (1, 0)),
        Case(
            name: "passing over is not allowed", rules: "4100 1F00", answers: [.success(.canceled)],
            policy: PINPolicy(allowsBypass: false, readerRefusal: .bypasses), results: nil, asked: (1, 0)),
        Case(
            name: "bypass at an unattended terminal", rules: "4100 1F00", answers: [.success(.timedOut)],
            policy: PINPolicy(readerRefusal: .bypasses), type: 0x25, results: nil, asked: (1, 0)),
        Case(
            name: "too few digits, then the right ones", rules: "4100 1F00",
            answers: [.success(.wrongLength), .success(.verified(.success))], results: "410002", asked: (2, 0)),
        Case(
            name: "never the right number of digits", rules: "4100 1F00",
            answers: Array(repeating: .success(.wrongLength), count: 9), results: "1F0002", asked: (3, 0)),
        Case(
            name: "a reader that only says that it has keys", rules: "4100 1F00", answers: [.success(.unsupported)],
            pins: [pin], results: "410002", asked: (1, 1), verifications: 1),
        Case(
            name: "the same where there is no other place", rules: "4100 1F00", answers: [.success(.unsupported)],
            policy: PINPolicy(entry: .reader), capabilities: "20A800", results: "1F0002", byte3: 0x10, asked: (1, 0)),
        Case(
            name: "no keys where there is no other place", rules: "4100 1F00", policy: PINPolicy(entry: .reader),
            capabilities: "20A800", hasPINPad: false, results: "1F0002", byte3: 0x10, asked: (0, 0)),
        Case(
            name: "the reader's keys are not to be used", rules: "4100 1F00", policy: PINPolicy(entry: .terminal),
            pins: [pin], results: "410002", asked: (0, 1), verifications: 1),
        Case(
            name: "a reader without keys", rules: "4100 1F00", hasPINPad: false, pins: [pin], results: "410002",
            asked: (0, 1), verifications: 1),
        Case(
            name: "the online PIN is typed at the terminal", rules: "4200 1F00", pins: [pin], results: "420000",
            byte3: 0x04, asked: (0, 1)),
        Case(
            name: "neither keys nor terminal", rules: "4100 1F00", hasPINPad: false, pins: [.unavailable],
            results: "1F0002", byte3: 0x10, asked: (0, 1)),
    ]

    // EMV Book 3 §10.5.1: the answers of the card to VERIFY decide the method, wherever the PIN was typed
    // EMV Book 4 §6.3.4: a PIN pad that is missing or does not work sets its TVR bit
    @Test(arguments: cases.map(\.name))
    func `the PIN is entered according to the policy`(name: String) async throws {
        let test = try #require(Self.cases.first { $0.name == name })
        let channel = TestPINPad(test.rules, test.answers, hasPINPad: test.hasPINPad)
        let cardholder = TestCardholder(pins: test.pins)
        let states = Recorder<KernelState>()
        let kernel = TestKernel(
            terminal: try TestKernel.terminal(
                type: test.type, capabilities: test.capabilities, pinPolicy: test.policy),
            cardholder: cardholder)
        let outcome = try await kernel.run(channel, observe: states.record)
        if let results = test.results {
            #expect(outcome.cvmResults.description == results)
            #expect(outcome.verificationResults.bytes[2] == test.byte3)
            #expect(outcome.decision == .approvedOnline)
        } else {
            #expect(outcome.decision == .canceled(.cardholder))
            #expect(channel.card.commands(0xAE).isEmpty)
        }
        let places = states.values.compactMap { state in
            if case .enteringPIN(let prompt) = state { prompt.place } else { nil }
        }
        #expect(places.filter { $0 == .reader }.count == test.asked.reader)
        #expect(places.filter { $0 == .terminal }.count == test.asked.terminal)
        #expect(channel.entries.count == test.asked.reader)
        #expect(cardholder.prompts.count == test.asked.terminal)
        #expect(channel.card.commands(0x20).count == test.verifications)
    }

    // EMV Book 3 §6.5.12: a PIN has 4 to 12 digits
    @Test func `the reader gets the policy's timeout, and the display the remaining tries`() async throws {
        let channel = TestPINPad(
            "0100", [.success(.verified(StatusWord(0x63, 0xC1))), .success(.verified(.success))], triesLeft: 2)
        let states = Recorder<KernelState>()
        let terminal = try TestKernel.terminal(pinPolicy: PINPolicy(readerSeconds: 45))
        _ = try await TestKernel(terminal: terminal).run(channel, observe: states.record)
        #expect(channel.entries == Array(repeating: PINPadEntry(digits: 4...12, seconds: 45), count: 2))
        #expect(
            states.values.filter { if case .enteringPIN = $0 { true } else { false } } == [
                .enteringPIN(PINPrompt(method: .offline, place: .reader, triesLeft: 2, isRetry: false)),
                .enteringPIN(PINPrompt(method: .offline, place: .reader, triesLeft: 1, isRetry: true)),
            ])
    }

    // EMV Book 3 §10.5.1: a PIN whose try counter is zero is not asked for
    @Test func `a blocked PIN is not entered on the reader`() async throws {
        let channel = TestPINPad("4100 1F00", [], triesLeft: 0)
        let outcome = try await TestKernel().run(channel)
        #expect(channel.entries.isEmpty)
        #expect(outcome.verificationResults.bytes[2] == 0x20)
    }

    @Test func `a traced reader still takes the PIN, and the trace does not contain it`() async throws {
        let channel = TestPINPad("0100", [.success(.verified(.success))])
        let lines = Recorder<String>()
        let outcome = try await TestKernel().run(TracingCardChannel(channel) { lines.record($0.jsonLine) })
        #expect(outcome.cvmResults.description == "010002")
        let verifications = lines.values.filter { $0.contains(#""c":"0020"#) }
        #expect(verifications == [#"{"c":"0020008008****************","r":"9000"}"#])
    }

    @Test(arguments: [CardChannelError.cardRemoved, .timedOut, .readerUnavailable("gone")])
    func `an error of the reader ends the payment`(error: CardChannelError) async throws {
        let channel = TestPINPad("4100 1F00", [.failure(error)])
        let outcome = try await TestKernel().run(channel)
        #expect(outcome.decision == .terminated(.channel(error)))
        #expect(channel.card.commands(0xAE).isEmpty)
    }

    @Test func `a canceled payment is canceled by its caller`() async throws {
        let channel = TestPINPad("4100 1F00", [.failure(.canceled)])
        #expect(try await TestKernel().run(channel).decision == .canceled(.caller))
    }

    // EMV Book 4 annex A2: the terminal capabilities name only methods that the PIN's place can perform
    @Test func `a terminal whose PINs stay on the reader claims no method that needs its own keys`() throws {
        for capabilities in ["20F800", "20C800", "209800"] {
            #expect(throws: TerminalConfigurationError.capabilitiesBeyondReaderPINPad) {
                try TestKernel.terminal(capabilities: capabilities, pinPolicy: PINPolicy(entry: .reader))
            }
        }
        _ = try TestKernel.terminal(capabilities: "20A800", pinPolicy: PINPolicy(entry: .reader))
    }

    @Test func `a policy is limited to the reader's ranges`() {
        let policy = PINPolicy(maximumTries: 0, readerSeconds: 0)
        #expect(policy.maximumTries == 1 && policy.readerSeconds == 1)
    }
}
