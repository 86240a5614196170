/// The card's half of T=1 (ISO/IEC 7816-3 §11). It never gives up: that is the interface device's part.
public struct T1CardSide: Sendable {
    public enum Step: Hashable, Sendable {
        case send([UInt8])
        /// A whole command APDU: process it and call `respond` (or `requestWaitingTimeExtension` first).
        case process([UInt8])
        /// The interface device granted the waiting time extension: now call `respond`, or ask again.
        case resume
    }

    private enum Phase {
        /// Between commands or in the middle of a command's chain.
        case receiving
        case processing
        case extending(T1Block)
        /// An I-block is out; `outgoing` is what follows it.
        case sending(T1Block, sequence: UInt8)
    }

    private let informationFieldSize: Int
    private let errorDetection: T1Block.ErrorDetection
    private var deviceInformationFieldSize = 32
    private var phase = Phase.receiving
    private var sendSequence: UInt8 = 0
    private var receiveSequence: UInt8 = 0
    private var command: [UInt8] = []
    private var outgoing: ArraySlice<UInt8> = []

    /// - Parameters:
    ///   - informationFieldSize: the longest information field that this card takes (IFSC), 1...254.
    ///   - errorDetection: as the card's ATR says.
    public init(informationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) {
        self.informationFieldSize = min(max(Int(informationFieldSize), 1), T1Block.maximumInformation)
        self.errorDetection = errorDetection
    }

    /// Takes a block as it came, complete with prologue and epilogue, whatever its bytes.
    public mutating func received(_ block: [UInt8]) -> Step {
        do {
            let block = try T1Block(block, errorDetection: errorDetection)
            guard let kind = block.kind else { return complain(.otherError) }
            return take(kind, block.information)
        } catch {
            return complain(error == .wrongCheck ? .checkError : .otherError)
        }
    }

    /// The first block of the answer; further ones follow from `received`. Without a command to answer:
    /// an R-block.
    public mutating func respond(_ apdu: [UInt8]) -> [UInt8] {
        guard case .processing = phase else { return ready(.otherError) }
        outgoing = apdu[...]
        return sendNext()
    }

    /// S(WTX request): asks for `multiplier` times the block waiting time before the answer. The
    /// interface device's S(WTX response) is then given to `received`, which returns ``Step/resume``.
    /// Without a command to answer: an R-block.
    public mutating func requestWaitingTimeExtension(_ multiplier: UInt8) -> [UInt8] {
        guard case .processing = phase else { return ready(.otherError) }
        let request = T1Block(.request(.waitingTimeExtension), information: [max(multiplier, 1)])
        phase = .extending(request)
        return request.encoded(errorDetection)
    }

    private mutating func take(_ kind: T1Block.Kind, _ information: [UInt8]) -> Step {
        switch kind {
        case .information(let sequence, let more): return takeInformation(sequence, more: more, information)
        case .receiveReady(let expecting, _): return takeReady(expecting)
        case .request(let control): return answerRequest(control, information)
        case .response(.waitingTimeExtension):
            guard case .extending(let request) = phase, information == request.information else {
                return complain(.otherError)
            }
            phase = .processing
            return .resume
        case .response: return complain(.otherError)
        }
    }

    private mutating func takeInformation(_ sequence: UInt8, more: Bool, _ information: [UInt8]) -> Step {
        switch phase {
        case .sending(let block, _) where sequence != receiveSequence:
            // The command again: the interface device did not get the answer.
            return .send(block.encoded(errorDetection))
        case .sending where !outgoing.isEmpty, .processing, .extending:
            return complain(.otherError)
        case .sending, .receiving:
            // A link of the chain again: the interface device did not get the acknowledgement.
            guard sequence == receiveSequence else { return .send(ready(.correct)) }
            guard information.count <= informationFieldSize, command.count + information.count <= 65_544 else {
                return complain(.otherError)
            }
            phase = .receiving
            command += information
            receiveSequence ^= 1
            if more { return .send(ready(.correct)) }
            phase = .processing
            defer { command = [] }
            return .process(command)
        }
    }

    private mutating func takeReady(_ expecting: UInt8) -> Step {
        switch phase {
        case .extending(let request): return .send(request.encoded(errorDetection))
        case .sending(let block, let sequence) where expecting == sequence: return .send(block.encoded(errorDetection))
        case .sending where !outgoing.isEmpty: return .send(sendNext())
        case .sending, .receiving, .processing: return .send(ready(.correct))
        }
    }

    private mutating func answerRequest(_ control: T1Block.Control, _ information: [UInt8]) -> Step {
        switch control {
        case .resynchronisation:
            (sendSequence, receiveSequence, command, outgoing) = (0, 0, [], [])
            deviceInformationFieldSize = 32
            phase = .receiving
        case .informationFieldSize:
            deviceInformationFieldSize = information.first.map(Int.init) ?? 32
        case .abort:
            (command, outgoing) = ([], [])
            phase = .receiving
        case .waitingTimeExtension:
            return complain(.otherError)
        }
        return .send(T1Block(.response(control), information: information).encoded(errorDetection))
    }

    private mutating func sendNext() -> [UInt8] {
        let information = Array(outgoing.prefix(deviceInformationFieldSize))
        outgoing = outgoing.dropFirst(information.count)
        let block = T1Block(
            .information(sequence: sendSequence, more: !outgoing.isEmpty), information: information)
        phase = .sending(block, sequence: sendSequence)
        sendSequence ^= 1
        return block.encoded(errorDetection)
    }

    private func complain(_ reason: T1Block.Acknowledgement) -> Step {
        if case .extending(let request) = phase { return .send(request.encoded(errorDetection)) }
        return .send(ready(reason))
    }

    private func ready(_ acknowledgement: T1Block.Acknowledgement) -> [UInt8] {
        T1Block(.receiveReady(expecting: receiveSequence, acknowledgement)).encoded(errorDetection)
    }
}
