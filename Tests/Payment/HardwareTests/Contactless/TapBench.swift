import CardSecrets
import Determinism
import EMV
import EntryPoint
import Money
import Simulator
import SmartCard
import Synchronization
import Testing
import USB

@testable import Hardware
@testable import Payments

/// A till with a simulated reader, a card with contacts and one without, a kernel whose outcomes a test writes, and a
/// host that approves.
final class TapBench: Sendable {
    let clock = SimulationClock()
    let unit: SimulatedReaderUnit
    let script: KernelScript
    let host: TapHost
    let service: LocalCardReaderService
    let usbBus: SimulatedUSBBus
    private let person: SimulatedCardholder
    private let log = EventLog()

    init(
        _ model: SimulatedReaderModel = .dualInterface, habit: PresentationHabit = .asTheCardAllows,
        hasContactlessCard: Bool = true, outcomes: [ContactlessOutcome] = [], answer: String = "00",
        failure: PaymentHostError? = nil, pin: SealedBytes? = nil, terminal: TerminalConfiguration = .standard,
        limits: @escaping @Sendable (Currency) throws -> ContactlessLimits = { _ in .none },
        wrapping: (any CardReaderSource) -> any CardReaderSource = { $0 }
    ) throws {
        let profile = try CardProfileLibrary.profile("visa-credit")
        let keys = try TestKeys.embedded()
        let random = SeededRandomSource(seed: 1)
        usbBus = SimulatedUSBBus(clock: clock)
        unit = SimulatedReaderUnit(model: model, clock: clock)
        usbBus.plug(unit.device)
        script = KernelScript(outcomes)
        host = TapHost(
            try SimulatedIssuer(
                accounts: profile.issuerAccounts(keys: keys), keys: keys, time: clock, random: random.stream("host")),
            answer: answer, failure: failure)
        person = SimulatedCardholder(
            profile: profile, card: try SimulatedEMVCard(profile: profile, keys: keys, random: random.stream("card")),
            contactless: hasContactlessCard ? TapCard() : nil,
            reader: SimulatedReader.Device(
                device: unit.device, chip: unit.chip, stripe: nil, contactless: unit.contactless),
            clock: clock, pinPad: try SimulatedPINPad(keys: keys, random: random.stream("pin pad")), pin: pin,
            habit: habit)
        let kernels = try KernelRegistry([KernelRegistration(.kernel8) { [script] in ScriptedKernel(script: script) }])
        service = LocalCardReaderService(
            sources: [wrapping(USBCardReaderSource(usbBus, time: clock))], host: host, terminal: terminal,
            cardholder: person,
            time: clock, random: random.stream("terminal"),
            contactless: ContactlessTerminal(kernels: kernels) { currency in
                guard let limits = try? limits(currency),
                    let combination = try? ReaderCombination(aid: TapCard.aid, kernel: .kernel8, limits: limits)
                else { return nil }
                return try? EntryPointConfiguration(
                    terminal: terminal, combinations: [.goodsOrServices: [combination]])
            })
    }

    /// The field of the reader.
    var field: SimulatedCCIDReader { unit.contactless ?? unit.first }

    var events: [CardReaderEvent] { log.events }

    /// The identifiers of the messages that the cardholder saw, in their order.
    var messages: [UInt8] {
        events.compactMap { event -> UInt8? in
            if case .readerMessage(let message) = event { message.message?.rawValue } else { nil }
        }
    }

    /// The inputs that were open, in their order.
    var waits: [CardReaderInput] {
        events.compactMap { if case .waitingForInput(let inputs) = $0 { inputs } else { nil } }
    }

    @discardableResult
    func connect() async throws -> CardReader {
        try await service.start(.usb)
        var lists = await service.discoveredReaders.makeAsyncIterator()
        let found = await lists.next() ?? []
        return try await service.connect(try #require(found.first))
    }

    /// Takes a payment of 12.50. A payment with another key is another attempt.
    func pay(
        _ key: String = "attempt-1", timeout: Duration = .seconds(60), isForcedOnline: Bool = false
    ) async throws -> PaymentIntent {
        let parameters = PaymentIntentParameters(
            key: IdempotencyKey(rawValue: key), stan: 1,
            amount: try Money(minorUnits: 1250, currency: .usDollar), cardTimeout: timeout,
            forcedOnline: isForcedOnline)
        return try await service.capturePayment(parameters) { [person, log] event in
            log.append(event)
            person.observe(event.cardPrompt)
        }
    }

    /// Takes a payment that fails, and returns its error.
    func fail(
        timeout: Duration = .seconds(60), isForcedOnline: Bool = false
    ) async throws -> CardReaderServiceError {
        do {
            _ = try await pay(timeout: timeout, isForcedOnline: isForcedOnline)
        } catch let error as CardReaderServiceError {
            return error
        }
        throw Unexpected.approval
    }

    enum Unexpected: Error { case approval }
}

/// The outcomes of a kernel, in their order.
final class KernelScript: Sendable {
    private struct State {
        var outcomes: [ContactlessOutcome]
        var activations: [KernelActivation] = []
        var failures: [CardChannelError] = []
    }

    private let state: Mutex<State>

    init(_ outcomes: [ContactlessOutcome]) { state = Mutex(State(outcomes: outcomes)) }

    var activations: [KernelActivation] { state.withLock { $0.activations } }
    var failures: [CardChannelError] { state.withLock { $0.failures } }

    func note(_ activation: KernelActivation) { state.withLock { $0.activations.append(activation) } }

    func note(_ failure: CardChannelError) { state.withLock { $0.failures.append(failure) } }

    /// The next outcome; an online request after the last one.
    func next() -> ContactlessOutcome {
        state.withLock { $0.outcomes.isEmpty ? .online() : $0.outcomes.removeFirst() }
    }
}

/// A kernel that sends GET PROCESSING OPTIONS once for each activation, and then has the outcome of its script.
private struct ScriptedKernel: ContactlessKernel {
    let script: KernelScript

    func activate(_ activation: KernelActivation) -> KernelStep {
        script.note(activation)
        guard let command = try? CommandAPDU(cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, 0], expectedLength: 256)
        else { return KernelStep(.finish(ContactlessOutcome(.endApplication))) }
        return KernelStep(.transmit(command), messages: [UserInterfaceRequest(.processing, .processing)])
    }

    func receive(_ input: KernelInput) -> KernelStep {
        guard case .failure(let error) = input else { return KernelStep(.finish(script.next())) }
        script.note(error)
        return KernelStep(
            .finish(
                ContactlessOutcome(
                    .endApplication, start: .b, uiOnRestart: UserInterfaceRequest(.presentCardAgain, .readyToRead))))
    }
}

extension ContactlessOutcome {
    /// An online request of a card that ends in 0010.
    static func online(
        cvm: CVM = .noCVM, start: EntryPointStart? = nil, onlineResponseData: OnlineResponseData? = nil
    ) -> ContactlessOutcome {
        ContactlessOutcome(
            .onlineRequest, start: start, onlineResponseData: onlineResponseData, cvm: cvm,
            uiOnOutcome: UserInterfaceRequest(.cardRead, .cardReadSuccessfully), dataRecord: TapCard.record)
    }
}

/// A card without contacts that has a directory with one application for Kernel 8.
final class TapCard: SimulatedCard {
    static let aid: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
    private static let directory = Array("2PAY.SYS.DDF01".utf8)

    /// The data of a card that was authenticated, with verification results of kernel 8 (95).
    static func record(results: [UInt8]) -> SecretDataObject {
        SecretDataObject(record.value.withUnsafeBytes { Array($0) } + tlv(0x95, results))
    }

    /// What the kernel has for the host: 5A, 5F24, 5F34, 9F26, 9F27, 9F36, 84, and 50.
    static var record: SecretDataObject {
        SecretDataObject(
            tlv(0x5A, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]) + tlv(0x5F24, [0x30, 0x12, 0x31])
                + tlv(0x5F34, [0x01]) + tlv(0x9F26, [1, 2, 3, 4, 5, 6, 7, 8]) + tlv(0x9F27, [0x80])
                + tlv(0x9F36, [0x00, 0x2A]) + tlv(0x84, aid) + tlv(0x50, Array("VISA CREDIT".utf8)))
    }

    private static func tlv(_ tag: BERTag, _ value: [UInt8]) -> [UInt8] { BERTLV.encode(tag, value) }

    func reset(warm: Bool) -> [UInt8] { [0x3B, 0x80, 0x80, 0x01, 0x01] }

    func powerOff() {}

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        let data: [UInt8]? =
            switch (command.ins, command.data) {
            case (0xA4, Self.directory):
                Self.tlv(
                    0x6F,
                    Self.tlv(0x84, Self.directory)
                        + Self.tlv(
                            0xA5,
                            Self.tlv(
                                0xBF0C, Self.tlv(0x61, Self.tlv(0x4F, Self.aid) + Self.tlv(0x9F2A, [0x08])))))
            case (0xA4, Self.aid): Self.tlv(0x6F, Self.tlv(0x84, Self.aid))
            case (0xA8, _): []
            default: nil
            }
        return SimulatedCardReply(data.map { ResponseAPDU(data: $0, status: .success) } ?? .init(status: .fileNotFound))
    }

    func sendsData(header: [UInt8]) -> Bool { true }
}

/// A host that answers taps alike, has an issuer for chips, and notes what it got.
final class TapHost: PaymentHost {
    private let noted = Mutex<[String]>([])
    private let issuer: SimulatedIssuer
    private let answer: String
    private let failure: PaymentHostError?

    init(_ issuer: SimulatedIssuer, answer: String, failure: PaymentHostError?) {
        (self.issuer, self.answer, self.failure) = (issuer, answer, failure)
    }

    /// The messages: `authorize 07 0010`, `reverse timeout`.
    var messages: [String] { noted.withLock { $0 } }
    let name = "tap"

    func authorize(
        _ request: borrowing AuthorizationRequest
    ) async throws(PaymentHostError) -> AuthorizationResponse {
        let text = "authorize \(request.card.entryMode.code) \(request.card.lastFour)"
        let pin = request.subject.isPINEntered ? " PIN" : ""
        noted.withLock { $0.append(text + pin) }
        if request.card.entryMode == .chip { return try await issuer.authorize(request) }
        if let failure { throw failure }
        return AuthorizationResponse(
            reference: "000000000001",
            answer: IssuerAnswer(authorizationResponseCode: Array(answer.utf8), authorizationCode: "123456"))
    }

    func reverse(_ request: ReversalRequest) {
        let text = "reverse \(request.reason) \(request.iccData.count)"
        noted.withLock { $0.append(text) }
    }

    func advise(_ advice: AdviceRequest) {}
    func inquire(_ key: IdempotencyKey, identity: MessageIdentity?) -> InquiryResult { .notFound }
    func lastNumbers(of identities: [String]) -> [String: Int64] { [:] }
    func refund(_ request: HostRefundRequest) throws(PaymentHostError) -> AuthorizationResponse {
        throw .notSent("no refunds")
    }
}
