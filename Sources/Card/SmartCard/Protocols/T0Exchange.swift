import Text

/// Maps one command APDU to T=0 TPDUs: the interface device's side of ISO/IEC 7816-3 §12.2 with the rules of EMV Book 1
/// §9.3. It does no I/O: the caller exchanges each TPDU and passes the answer back.
///
/// * 61xx, if the command expects data: GET RESPONSE for that many bytes, repeated while the card returns 61xx.
/// * 6Cxx, if the TPDU asked for data: the same TPDU again with P3 = xx.
/// * 62xx or 63xx to a command that sends and expects data: GET RESPONSE with P3 = 00. The last status is the command's
///   status.
/// * Any other status ends the command, an error status without data.
///
/// A command that expects no data (cases 1 and 3) returns 61xx and 6Cxx unchanged.
public struct T0CommandMapper: Sendable {
    /// The caller's next action.
    public enum Step: Hashable, Sendable {
        /// Exchange this TPDU: a five-byte header, followed by the data if the command sends any.
        case exchange([UInt8])
        /// The command's response.
        case complete(ResponseAPDU)
    }

    /// The maximum number of TPDUs for one command, including GET RESPONSE and repetitions with another length.
    public static let maximumExchanges = 64

    private enum Phase: Hashable {
        case command
        case getResponse
        case complete(ResponseAPDU)
    }

    private let command: CommandAPDU
    private var phase = Phase.command
    /// The header of the current TPDU.
    private var header: [UInt8]
    private var exchanges = 1
    private var collected: [UInt8] = []

    /// - Throws: ``T0Error/extendedLengthNotSupported``, ``T0Error/invalidInstruction(_:)``
    public init(_ command: CommandAPDU) throws(T0Error) {
        guard !command.isExtended else { throw .extendedLengthNotSupported }
        guard !T0TPDUExchange.isStatus(command.ins) else { throw .invalidInstruction(command.ins) }
        self.command = command
        let length = command.data.isEmpty ? command.expectedLength ?? 0 : command.data.count
        header = [command.cla, command.ins, command.p1, command.p2, UInt8(length & 0xFF)]
    }

    /// The first TPDU.
    public mutating func start() -> Step { .exchange(header + command.data) }

    /// Takes the answer to the last TPDU: response data, SW1, SW2.
    ///
    /// - Throws: ``T0Error``: the command failed, and whether the card ran it is unknown.
    public mutating func received(_ answer: [UInt8]) throws(T0Error) -> Step {
        if case .complete(let response) = phase { return .complete(response) }
        guard let response = try? ResponseAPDU(bytes: answer) else { throw .answerTooShort(answer.count) }
        guard response.data.count <= asked else {
            throw .answerTooLong(expected: asked, actual: response.data.count)
        }
        let status = response.status
        switch (status.sw1, phase) {
        case (0x6C, _) where asked > 0 && response.data.isEmpty:
            header[4] = status.sw2
            return try exchangeAgain()
        case (0x61, _) where wantsMore(after: response.data):
            collected += response.data
            return try getResponse(status.sw2)
        case (0x62, .command), (0x63, .command):
            guard !command.data.isEmpty, command.expectedLength != nil else { fallthrough }
            return try getResponse(0)
        case (0x61, _), (0x62, _), (0x63, _), (0x90...0x9F, _):
            return complete(collected + response.data, status)
        default:
            return complete(phase == .command ? response.data : [], status)
        }
    }

    /// The number of data bytes that the current TPDU asks for.
    private var asked: Int {
        guard phase == .getResponse || (command.data.isEmpty && command.expectedLength != nil) else { return 0 }
        return header[4] == 0 ? 256 : Int(header[4])
    }

    // Le = 00 asks for all data, and a card may have more than one GET RESPONSE returns.
    private var limit: Int {
        guard let expectedLength = command.expectedLength else { return 0 }
        return expectedLength == 256 ? 65_536 : expectedLength
    }

    private func wantsMore(after data: [UInt8]) -> Bool { collected.count + data.count < limit }

    private mutating func getResponse(_ available: UInt8) throws(T0Error) -> Step {
        let count = min(available == 0 ? 256 : Int(available), limit - collected.count)
        phase = .getResponse
        header = [0x00, 0xC0, 0x00, 0x00, UInt8(count & 0xFF)]
        return try exchangeAgain()
    }

    private mutating func exchangeAgain() throws(T0Error) -> Step {
        guard exchanges < Self.maximumExchanges else { throw .tooManyExchanges }
        exchanges += 1
        return .exchange(header)
    }

    // With 6Cxx a card may return more bytes than the command asked for: keep only those asked for.
    private mutating func complete(_ data: [UInt8], _ status: StatusWord) -> Step {
        let response = ResponseAPDU(data: Array(data.prefix(limit)), status: status)
        phase = .complete(response)
        return .complete(response)
    }
}

/// Exchanges one T=0 TPDU byte by byte: header, procedure bytes, data, status (ISO/IEC 7816-3 §10.3). A reader does
/// this at TPDU level and above; at character level the host does it.
///
/// The TPDU determines the direction of its data: bytes after the header go to the card; a header alone asks the card
/// for P3 bytes, 00 meaning 256.
public struct T0TPDUExchange: Sendable {
    /// The interface device's next step.
    public enum Step: Hashable, Sendable {
        /// Send these bytes to the card, then pass in its next byte.
        case transmit([UInt8])
        /// Receive up to `count` bytes from the card.
        case receive(count: Int)
        /// Response data, SW1, SW2.
        case complete([UInt8])
    }

    /// The maximum number of NULL bytes (60), with which a card asks for more time, in one exchange.
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

    /// Takes bytes from the card, at most as many as the last step asked for.
    ///
    /// - Throws: ``T0Error/invalidProcedureByte(_:)``, ``T0Error/answerTooLong(expected:actual:)`` when the card sends
    ///   bytes after its status or out of turn, ``T0Error/tooManyExchanges``
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

    /// - Returns: the data to send to the card, if the card asks for it.
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

    /// Whether a procedure byte is SW1: 61...6F or 90...9F. 60 (NULL) counts too.
    static func isStatus(_ byte: UInt8) -> Bool { byte & 0xF0 == 0x60 || byte & 0xF0 == 0x90 }
}

/// Why a T=0 exchange failed. Deactivate the card: its state is unknown.
public enum T0Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// T=0 carries at most 255 bytes of data and asks for at most 256.
    case extendedLengthNotSupported
    /// An instruction 6X or 9X, which would look like a status byte on the line (ISO/IEC 7816-3 §10.3.2).
    case invalidInstruction(UInt8)
    /// A TPDU that is neither a header alone nor a header with P3 bytes of data; the number of its bytes.
    case invalidTPDU(Int)
    /// An answer of this many bytes, too short for a status word.
    case answerTooShort(Int)
    /// More response data than the header asked for.
    case answerTooLong(expected: Int, actual: Int)
    /// A byte that is not an acknowledgment of the instruction, NULL, or a status byte.
    case invalidProcedureByte(UInt8)
    /// The card keeps announcing more data, another length, or more time.
    case tooManyExchanges

    public var description: String {
        switch self {
        case .extendedLengthNotSupported:
            "T=0 carries no extended length: send at most 255 bytes and ask for at most 256"
        case .invalidInstruction(let instruction):
            "instruction \([instruction].hexadecimal) cannot be sent over T=0"
        case .invalidTPDU(let count): "a T=0 command of \(count) bytes does not match its length byte P3"
        case .answerTooShort(let count): "the card's T=0 answer of \(count) bytes has no status word"
        case .answerTooLong(let expected, let actual):
            "the card's T=0 answer has \(actual) bytes of data where \(expected) were asked for"
        case .invalidProcedureByte(let byte): "the card sent \([byte].hexadecimal), which is not a T=0 procedure byte"
        case .tooManyExchanges: "the card's T=0 answer does not end"
        }
    }
}
