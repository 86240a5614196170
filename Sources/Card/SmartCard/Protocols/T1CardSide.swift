/// The card's side of T=1 (ISO/IEC 7816-3 §11). It never gives up; the interface device decides when to stop.
public struct T1CardSide: Sendable {
    /// The card's next step.
    public enum Step: Hashable, Sendable {
        case send([UInt8])
        /// A complete command APDU: process it and call `respond` (or `requestWaitingTimeExtension` first).
        case process([UInt8])
        /// The interface device granted the waiting time extension: now call `respond`, or ask again.
        case resume
    }

    private enum Phase {
        /// Between commands, or in the middle of a chained command.
        case receiving
        case processing
        case extending(T1Block)
        /// An I-block was sent; `outgoing` is the rest of the response.
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
    ///   - informationFieldSize: the longest information field that this card accepts (IFSC), 1...254.
    ///   - errorDetection: as the card's ATR says.
    public init(informationFieldSize: UInt8, errorDetection: T1Block.ErrorDetection) {
        self.informationFieldSize = min(max(Int(informationFieldSize), 1), T1Block.maximumInformation)
        self.errorDetection = errorDetection
    }

    /// Takes a received block, complete with prologue and epilogue. The bytes may be anything.
    public mutating func received(_ block: [UInt8]) -> Step {
        do { return take(try T1Block(block, errorDetection: errorDetection)) } catch {
            return complain(error == .wrongCheck ? .checkError : .otherError)
        }
    }

    /// Returns the first block of the response; `received` returns the others. Returns an R-block when there is no
    /// command to answer.
    public mutating func respond(_ apdu: [UInt8]) -> [UInt8] {
        guard case .processing = phase else { return ready(.otherError) }
        outgoing = apdu[...]
        return sendNext()
    }

    /// Returns an S(WTX request) that asks for `multiplier` times the block waiting time. Pass the interface device's
    /// S(WTX response) to `received`, which returns ``Step/resume``. Returns an R-block when there is no command to
    /// answer.
    public mutating func requestWaitingTimeExtension(_ multiplier: UInt8) -> [UInt8] {
        guard case .processing = phase else { return ready(.otherError) }
        let request = T1Block(.request(.waitingTimeExtension), information: [max(multiplier, 1)])
        phase = .extending(request)
        return request.encoded(errorDetection)
    }

    private mutating func take(_ block: T1Block) -> Step {
        guard let kind = block.kind else { return complain(.otherError) }
        let information = block.information
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
            // The command again: the interface device did not receive the response.
            return .send(block.encoded(errorDetection))
        case .sending where !outgoing.isEmpty, .processing, .extending:
            return complain(.otherError)
        case .sending, .receiving:
            // A block of the chain again: the interface device did not receive the acknowledgment.
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
        case .resynchronization:
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

    private func complain(_ reason: T1Block.Acknowledgment) -> Step {
        if case .extending(let request) = phase { return .send(request.encoded(errorDetection)) }
        return .send(ready(reason))
    }

    private func ready(_ acknowledgment: T1Block.Acknowledgment) -> [UInt8] {
        T1Block(.receiveReady(expecting: receiveSequence, acknowledgment)).encoded(errorDetection)
    }
}
