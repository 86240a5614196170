import CardSecrets

/// The interface device's side of T=1: sends one APDU and receives one, with chaining, retransmission,
/// resynchronization, waiting time extension, and IFS negotiation (ISO/IEC 7816-3 §11; EMV Book 1 §9.2.5).
///
/// A block is tried three times in a row; after that the exchange fails and the card must be deactivated, as EMV
/// requires. ISO/IEC 7816-3 also allows S(RESYNCH request), after which both sides restart at the beginning of the
/// command. It is sent at most once per exchange, and only when the card cannot have run the command: during IFS
/// negotiation, and in a chain whose last block has not been sent. A command that was sent completely is never sent
/// again.
public struct T1InterfaceDevice: Sendable {
    /// The interface device's next step.
    public enum Step: Hashable, Sendable {
        /// Send this block and wait for the answer for `waitingTimeMultiplier` times the block waiting time.
        case send([UInt8], waitingTimeMultiplier: Int)
        /// The card's whole answer (for `negotiateInformationFieldSize`: empty).
        case complete([UInt8])
        case failed(T1Error)
    }

    /// How often a block is tried before the exchange fails.
    public static let maximumTries = 3
    /// The maximum number of consecutive requests from the card (more time, another IFS).
    public static let maximumRequests = 256

    private enum Phase {
        case idle
        /// An I-block with `length` bytes of the command was sent.
        case sending(length: Int, sequence: UInt8, more: Bool)
        /// The card is sending a chained response.
        case receiving
        case negotiating(T1Block)
        /// S(RESYNCH request) was sent; the interrupted operation restarts after the response.
        case resynchronizing(Interrupted)
        case aborting
        case failed(T1Error)
    }

    private enum Interrupted {
        case command
        case negotiation(T1Block)
    }

    private let errorDetection: T1Block.ErrorDetection
    /// The longest information field that the card accepts (IFSC), 1...254.
    public private(set) var cardInformationFieldSize: Int
    private let initialInformationFieldSize: Int
    private var phase = Phase.idle
    private var sendSequence: UInt8 = 0
    private var receiveSequence: UInt8 = 0
    private var command: T1Command?
    /// The offset in the command at which the current I-block begins.
    private var position = 0
    private var answer: [UInt8] = []
    private var failures = 0
    private var requests = 0
    private var mayResynchronize = true

    /// - Parameters:
    ///   - cardInformationFieldSize: IFSC of the ATR, 32 by default; 00 and FF count as the nearest valid size.
    ///   - errorDetection: as the ATR says; EMV has LRC only.
    public init(cardInformationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) {
        self.cardInformationFieldSize = min(max(Int(cardInformationFieldSize), 1), T1Block.maximumInformation)
        initialInformationFieldSize = self.cardInformationFieldSize
        self.errorDetection = errorDetection
    }

    /// Sends an S(IFS request) that announces the longest information field of this side, 1...254.
    public mutating func negotiateInformationFieldSize(_ size: UInt8) -> Step {
        guard case .idle = phase else { return fail(.unrecoverable) }
        let request = T1Block(.request(.informationFieldSize), information: [min(max(size, 1), 254)])
        begin()
        phase = .negotiating(request)
        return send(request)
    }

    /// Starts a command and returns its first block; `received` returns the others. Fails if another command is still
    /// running or an exchange has failed.
    public mutating func transmit(_ apdu: [UInt8]) -> Step {
        guard case .idle = phase else { return fail(.unrecoverable) }
        begin()
        command = T1Command(apdu)
        return restartCommand()
    }

    /// Takes a received block, complete with prologue and epilogue. The bytes may be anything.
    public mutating func received(_ block: [UInt8]) -> Step {
        if case .aborting = phase { return fail(.aborted) }
        do { return take(try T1Block(block, errorDetection: errorDetection)) } catch {
            return complain(error == .wrongCheck ? .checkError : .otherError)
        }
    }

    /// Handles a block waiting time that ended without a block.
    public mutating func timedOut() -> Step {
        if case .aborting = phase { return fail(.aborted) }
        return complain(.otherError)
    }

    private mutating func take(_ block: T1Block) -> Step {
        guard let kind = block.kind else { return complain(.otherError) }
        let information = block.information
        switch (kind, phase) {
        case (_, .idle), (_, .failed):
            return fail(.unrecoverable)
        case (.response(.informationFieldSize), .negotiating(let request)) where information == request.information:
            phase = .idle
            return .complete([])
        case (.response(.resynchronization), .resynchronizing(let interrupted)):
            return resume(interrupted)
        case (.request(let control), .sending), (.request(let control), .receiving):
            return answerRequest(control, information)
        case (.receiveReady(let expecting, _), .sending(let length, let sequence, let more)):
            guard expecting != sequence else { return retry { $0.sendPart(length, sequence, more: more) } }
            guard more else { return complain(.otherError) }
            madeProgress()
            position += length
            return sendNext()
        case (.information(let sequence, let more), .sending(_, _, more: false)),
            (.information(let sequence, let more), .receiving):
            guard sequence == receiveSequence else { return complain(.otherError) }
            return collect(information, more: more)
        default:
            return complain(.otherError)
        }
    }

    private mutating func collect(_ information: [UInt8], more: Bool) -> Step {
        guard answer.count + information.count <= 65_538 else { return fail(.answerTooLong) }
        madeProgress()
        answer += information
        receiveSequence ^= 1
        guard more else {
            phase = .idle
            defer { (command, answer) = (nil, []) }
            return .complete(answer)
        }
        phase = .receiving
        return send(T1Block(.receiveReady(expecting: receiveSequence, .correct)))
    }

    private mutating func answerRequest(_ control: T1Block.Control, _ information: [UInt8]) -> Step {
        requests += 1
        guard requests <= Self.maximumRequests else { return fail(.unrecoverable) }
        var multiplier = 1
        switch control {
        case .resynchronization: return complain(.otherError)
        case .informationFieldSize: cardInformationFieldSize = information.first.map(Int.init) ?? 1
        case .abort: phase = .aborting
        case .waitingTimeExtension: multiplier = information.first.map(Int.init) ?? 1
        }
        failures = 0
        return send(T1Block(.response(control), information: information), multiplier)
    }

    private mutating func sendNext() -> Step {
        let (left, sequence) = ((command?.count ?? 0) - position, sendSequence)
        let length = min(left, cardInformationFieldSize)
        phase = .sending(length: length, sequence: sequence, more: left > length)
        sendSequence ^= 1
        return sendPart(length, sequence, more: left > length)
    }

    private func sendPart(_ length: Int, _ sequence: UInt8, more: Bool) -> Step {
        let kind = T1Block.Kind.information(sequence: sequence, more: more)
        let block = command?.bytes.withUnsafeBytes {
            T1Block.encoded(kind, information: $0.dropFirst(position).prefix(length), errorDetection)
        }
        return .send(block ?? [], waitingTimeMultiplier: 1)
    }

    private mutating func restartCommand() -> Step {
        position = 0
        answer = []
        return sendNext()
    }

    /// Both sides are in the state after reset.
    private mutating func resume(_ interrupted: Interrupted) -> Step {
        (sendSequence, receiveSequence) = (0, 0)
        cardInformationFieldSize = initialInformationFieldSize
        madeProgress()
        switch interrupted {
        case .command:
            return restartCommand()
        case .negotiation(let request):
            phase = .negotiating(request)
            return send(request)
        }
    }

    /// No valid block arrived: asks for the card's last block again, or repeats our request.
    private mutating func complain(_ reason: T1Block.Acknowledgment) -> Step {
        switch phase {
        case .negotiating(let request): retry { $0.send(request) }
        case .resynchronizing: retry { $0.send(Self.resynchronization) }
        default: retry { $0.send(T1Block(.receiveReady(expecting: $0.receiveSequence, reason))) }
        }
    }

    private static let resynchronization = T1Block(.request(.resynchronization))

    private mutating func retry(_ again: (T1InterfaceDevice) -> Step) -> Step {
        failures += 1
        guard failures >= Self.maximumTries else { return again(self) }
        guard mayResynchronize else { return fail(.unrecoverable) }
        switch phase {
        case .negotiating(let request): phase = .resynchronizing(.negotiation(request))
        case .sending(_, _, more: true): phase = .resynchronizing(.command)
        default: return fail(.unrecoverable)
        }
        mayResynchronize = false
        failures = 0
        return send(Self.resynchronization)
    }

    private mutating func begin() {
        madeProgress()
        mayResynchronize = true
    }

    private mutating func madeProgress() { (failures, requests) = (0, 0) }

    private mutating func fail(_ error: T1Error) -> Step {
        if case .failed(let first) = phase { return .failed(first) }
        phase = .failed(error)
        (command, answer) = (nil, [])
        return .failed(error)
    }

    private func send(_ block: T1Block, _ waitingTimeMultiplier: Int = 1) -> Step {
        .send(block.encoded(errorDetection), waitingTimeMultiplier: waitingTimeMultiplier)
    }
}

/// The command of a T=1 exchange. It may hold a PIN, so its memory is wiped as soon as it is released, however the
/// exchange ended.
final class T1Command: Sendable {
    let bytes: SensitiveBytes

    init(_ apdu: [UInt8]) { bytes = SensitiveBytes(apdu) }

    var count: Int { bytes.count }
}

/// Why a T=1 exchange failed. Deactivate the card: whether it ran the command is unknown.
public enum T1Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// Three tries brought no valid block.
    case unrecoverable
    /// The card aborted a chain.
    case aborted
    /// The response is longer than an APDU may be.
    case answerTooLong

    public var description: String {
        switch self {
        case .unrecoverable: "no valid T=1 block after three tries: clean the card's contacts and insert it again"
        case .aborted: "the card aborted the T=1 exchange"
        case .answerTooLong: "the card's T=1 answer is longer than 65538 bytes"
        }
    }
}
