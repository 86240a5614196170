/// Carries one command APDU over T=0 by means of TPDUs: the interface device's half of
/// ISO/IEC 7816-3 §12.2 with the rules of EMV Book 1 §9.3. It does no I/O: the caller exchanges
/// each TPDU and hands the answer back.
///
/// * 61xx, where the command wants data: GET RESPONSE for that many bytes, as often as the card says so.
/// * 6Cxx, where the TPDU asked for data: the same TPDU again with P3 = xx.
/// * 62xx or 63xx to a command that sent data and wants data: GET RESPONSE with P3 = 00. The status
///   of the last answer is the command's.
/// * Any other status ends the command. One that is an error ends it without data.
///
/// A command that wants no data (cases 1 and 3) gets 61xx and 6Cxx as they came.
public struct T0CommandMapper: Sendable {
    /// What the caller does next.
    public enum Step: Hashable, Sendable {
        /// Exchange this TPDU: a header of five bytes, with data behind it when it sends data.
        case exchange([UInt8])
        /// The command's answer.
        case complete(ResponseAPDU)
    }

    /// The most TPDUs that one command may take, GET RESPONSE and repetitions with another length included.
    public static let maximumExchanges = 64

    private enum Phase: Hashable {
        case command
        case getResponse
        case complete(ResponseAPDU)
    }

    private let command: CommandAPDU
    private var phase = Phase.command
    /// The header of the TPDU under way.
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
    /// - Throws: ``T0Error``; the command has failed and its outcome at the card is unknown.
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

    /// How many bytes of data the TPDU under way asks for.
    private var asked: Int {
        guard phase == .getResponse || (command.data.isEmpty && command.expectedLength != nil) else { return 0 }
        return header[4] == 0 ? 256 : Int(header[4])
    }

    // Le = 00 asks for all that there is, and a card may have more than one GET RESPONSE brings.
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

    // With 6Cxx a card may insist on more bytes than the command wanted: it gets what it wanted.
    private mutating func complete(_ data: [UInt8], _ status: StatusWord) -> Step {
        let response = ResponseAPDU(data: Array(data.prefix(limit)), status: status)
        phase = .complete(response)
        return .complete(response)
    }
}
