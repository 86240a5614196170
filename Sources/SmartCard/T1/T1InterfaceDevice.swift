internal import CardSecrets

/// The interface device's half of T=1: one APDU out, one APDU in, with chaining, retransmission,
/// resynchronisation, waiting time extension and IFS negotiation (ISO/IEC 7816-3 §11; EMV Book 1 §9.2.5).
///
/// A block may fail three times in a row, the first time included; then the exchange is given up and
/// the card is to be deactivated, as EMV has it. S(RESYNCH request), which ISO/IEC 7816-3 offers before
/// that, makes both sides start again from the beginning of the command. It is sent only where the card
/// cannot have run the command: while the IFS is negotiated, and in a chain whose last block was not sent
/// yet; once for each exchange. A command that was sent whole is never sent again.
public struct T1InterfaceDevice: Sendable {
    public enum Step: Hashable, Sendable {
        /// Send this block and wait for the answer for `waitingTimeMultiplier` times the block waiting time.
        case send([UInt8], waitingTimeMultiplier: Int)
        /// The card's whole answer (for `negotiateInformationFieldSize`: empty).
        case complete([UInt8])
        case failed(T1Error)
    }

    /// How often a block is sent before the exchange is given up.
    public static let maximumTries = 3
    /// The most requests of the card (more time, another IFS) in a row.
    public static let maximumRequests = 256

    private enum Phase {
        case idle
        /// An I-block with so many bytes of the command is out.
        case sending(length: Int, sequence: UInt8, more: Bool)
        /// The card is in the middle of a chain.
        case receiving
        case negotiating(T1Block)
        /// S(RESYNCH request) is out; what was under way starts again after it.
        case resynchronising(Interrupted)
        case aborting
        case failed(T1Error)
    }

    private enum Interrupted {
        case command
        case negotiation(T1Block)
    }

    private let errorDetection: T1Block.ErrorDetection
    /// The longest information field that the card takes (IFSC), 1...254.
    public private(set) var cardInformationFieldSize: Int
    private let initialInformationFieldSize: Int
    private var phase = Phase.idle
    private var sendSequence: UInt8 = 0
    private var receiveSequence: UInt8 = 0
    private var command: T1Command?
    /// Where in the command the I-block begins that is out.
    private var position = 0
    private var answer: [UInt8] = []
    private var failures = 0
    private var requests = 0
    private var mayResynchronise = true

    /// - Parameters:
    ///   - cardInformationFieldSize: IFSC of the ATR, 32 by default; 00 and FF count as the nearest valid size.
    ///   - errorDetection: as the ATR says; EMV has LRC only.
    public init(cardInformationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) {
        self.cardInformationFieldSize = min(max(Int(cardInformationFieldSize), 1), T1Block.maximumInformation)
        initialInformationFieldSize = self.cardInformationFieldSize
        self.errorDetection = errorDetection
    }

    /// S(IFS request): announces how long an information field this side takes, 1...254.
    public mutating func negotiateInformationFieldSize(_ size: UInt8) -> Step {
        guard case .idle = phase else { return fail(.unrecoverable) }
        let request = T1Block(.request(.informationFieldSize), information: [min(max(size, 1), 254)])
        begin()
        phase = .negotiating(request)
        return send(request)
    }

    /// The first block of a command; further ones follow from `received`. A command before the last one
    /// ended, or after a failure, fails.
    public mutating func transmit(_ apdu: [UInt8]) -> Step {
        guard case .idle = phase else { return fail(.unrecoverable) }
        begin()
        command = T1Command(apdu)
        return restartCommand()
    }

    /// Takes a block as it came, complete with prologue and epilogue, whatever its bytes.
    public mutating func received(_ block: [UInt8]) -> Step {
        if case .aborting = phase { return fail(.aborted) }
        do {
            let block = try T1Block(block, errorDetection: errorDetection)
            guard let kind = block.kind else { return complain(.otherError) }
            return take(kind, block.information)
        } catch {
            return complain(error == .wrongCheck ? .checkError : .otherError)
        }
    }

    /// The block waiting time went by without a block.
    public mutating func timedOut() -> Step {
        if case .aborting = phase { return fail(.aborted) }
        return complain(.otherError)
    }

    private mutating func take(_ kind: T1Block.Kind, _ information: [UInt8]) -> Step {
        switch (kind, phase) {
        case (_, .idle), (_, .failed):
            return fail(.unrecoverable)
        case (.response(.informationFieldSize), .negotiating(let request)) where information == request.information:
            phase = .idle
            return .complete([])
        case (.response(.resynchronisation), .resynchronising(let interrupted)):
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
        case .resynchronisation: return complain(.otherError)
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

    /// Both sides are as they were after the reset.
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

    /// Nothing correct came: asks for the card's last block again, or sends a request of ours again.
    private mutating func complain(_ reason: T1Block.Acknowledgement) -> Step {
        switch phase {
        case .negotiating(let request): retry { $0.send(request) }
        case .resynchronising: retry { $0.send(Self.resynchronisation) }
        default: retry { $0.send(T1Block(.receiveReady(expecting: $0.receiveSequence, reason))) }
        }
    }

    private static let resynchronisation = T1Block(.request(.resynchronisation))

    private mutating func retry(_ again: (T1InterfaceDevice) -> Step) -> Step {
        failures += 1
        guard failures >= Self.maximumTries else { return again(self) }
        guard mayResynchronise else { return fail(.unrecoverable) }
        switch phase {
        case .negotiating(let request): phase = .resynchronising(.negotiation(request))
        case .sending(_, _, more: true): phase = .resynchronising(.command)
        default: return fail(.unrecoverable)
        }
        mayResynchronise = false
        failures = 0
        return send(Self.resynchronisation)
    }

    private mutating func begin() {
        madeProgress()
        mayResynchronise = true
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
