/// Exchanges one T=0 TPDU byte by byte: header, procedure bytes, data, status (ISO/IEC 7816-3 §10.3).
/// What a reader does at TPDU level and above, and a host does at character level.
///
/// The TPDU itself says which way its data goes: bytes behind the header go to the card, a header
/// alone asks for P3 bytes of the card, 00 meaning 256.
public struct T0TPDUExchange: Sendable {
    public enum Step: Hashable, Sendable {
        /// Send these bytes to the card, then hand over its next byte.
        case transmit([UInt8])
        /// Hand over the card's next byte, or `count` of them.
        case receive(count: Int)
        /// Response data, SW1, SW2.
        case complete([UInt8])
    }

    /// The most NULL bytes (60) that a card may ask for time with in one exchange.
    public static let maximumNulls = 10_000

    private enum Phase: Hashable {
        case procedureByte
        case responseData(count: Int)
        case secondStatusByte(UInt8)
        case complete
    }

    private let header: [UInt8]
    private var outgoing: ArraySlice<UInt8>
    private var wanted: Int
    private var answer: [UInt8] = []
    private var nulls = 0
    private var phase = Phase.procedureByte

    /// - Throws: ``T0Error/invalidTPDU(_:)``, ``T0Error/invalidInstruction(_:)``
    public init(tpdu: [UInt8]) throws(T0Error) {
        guard tpdu.count >= 5, tpdu.count == 5 || tpdu.count == 5 + Int(tpdu[4]) else {
            throw .invalidTPDU(tpdu.count)
        }
        guard !Self.isStatus(tpdu[1]) else { throw .invalidInstruction(tpdu[1]) }
        header = Array(tpdu[..<5])
        outgoing = tpdu[5...]
        wanted = tpdu.count > 5 ? 0 : tpdu[4] == 0 ? 256 : Int(tpdu[4])
    }

    /// The header.
    public mutating func start() -> Step { .transmit(header) }

    /// Takes bytes of the card, as many as the last step asked for or fewer.
    ///
    /// - Throws: ``T0Error/invalidProcedureByte(_:)``, ``T0Error/answerTooLong(expected:actual:)`` when the
    ///   card talks on after its status or when it is not its turn, ``T0Error/tooManyExchanges``
    public mutating func received(_ bytes: [UInt8]) throws(T0Error) -> Step {
        var step = currentStep
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if case .responseData(let count) = phase {
                let taken = min(count, rest.count + 1)
                answer.append(byte)
                answer += rest.prefix(taken - 1)
                rest = rest.dropFirst(taken - 1)
                phase = count == taken ? .procedureByte : .responseData(count: count - taken)
            } else if case .secondStatusByte(let first) = phase {
                answer += [first, byte]
                phase = .complete
            } else if phase == .complete {
                throw .answerTooLong(expected: bytes.count - rest.count - 1, actual: bytes.count)
            } else if let data = try takeProcedureByte(byte) {
                guard rest.isEmpty else {
                    throw .answerTooLong(expected: bytes.count - rest.count, actual: bytes.count)
                }
                return .transmit(data)
            }
            step = currentStep
        }
        return step
    }

    private var currentStep: Step {
        switch phase {
        case .procedureByte, .secondStatusByte: .receive(count: 1)
        case .responseData(let count): .receive(count: count)
        case .complete: .complete(answer)
        }
    }

    /// - Returns: the data to send to the card, if that is what it asks for.
    private mutating func takeProcedureByte(_ byte: UInt8) throws(T0Error) -> [UInt8]? {
        let instruction = header[1]
        switch byte {
        case 0x60:
            nulls += 1
            guard nulls <= Self.maximumNulls else { throw .tooManyExchanges }
            return nil
        case instruction, ~instruction:
            let all = byte == instruction
            if !outgoing.isEmpty {
                let data = outgoing.prefix(all ? outgoing.count : 1)
                outgoing = outgoing.dropFirst(data.count)
                return Array(data)
            }
            guard wanted > 0 else { throw .invalidProcedureByte(byte) }
            let count = all ? wanted : 1
            wanted -= count
            phase = .responseData(count: count)
            return nil
        case _ where Self.isStatus(byte):
            phase = .secondStatusByte(byte)
            return nil
        default:
            throw .invalidProcedureByte(byte)
        }
    }

    /// Whether a byte in the place of a procedure byte is SW1: 61...6F and 90...9F. 60 counts too, as NULL.
    static func isStatus(_ byte: UInt8) -> Bool { byte & 0xF0 == 0x60 || byte & 0xF0 == 0x90 }
}
