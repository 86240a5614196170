/// The card's side of T=0: takes header and data bytes, returns procedure bytes, data, and status (ISO/IEC 7816-3
/// §10.3; EMV Book 1 §9.3).
///
/// * A response of another length is kept and announced with 6Cxx; the same header with P3 = xx fetches it.
/// * Response data of a command that sent data is kept and announced with 61xx or with the warning status; GET RESPONSE
///   (INS C0) fetches it, in parts if it asks for fewer bytes.
/// * Any other command discards the kept response. A command is never processed twice because of a length.
/// * Unexpected bytes, and GET RESPONSE without a kept response, are answered with 6F00, an instruction 6X or 9X with
///   6D00.
public struct T0CardSide: Sendable {
    /// The card's next step.
    public enum Step: Hashable, Sendable {
        /// Send these bytes (a procedure byte, or response data and status), then wait for more.
        case send([UInt8])
        /// The message is incomplete: wait for more bytes.
        case awaitMore
        /// A complete command: process it and call `respond`. In T=0 a command with data has no expected length, and
        /// one without data always has one.
        case process(CommandAPDU)
    }

    private enum Phase {
        case header
        case data(header: [UInt8])
        case processing(header: [UInt8], sentData: Bool)
    }

    private enum Kept {
        case forRepeatedCommand(header: [UInt8], ResponseAPDU)
        case forGetResponse(ResponseAPDU)
    }

    private let sendsData: @Sendable ([UInt8]) -> Bool
    private var phase = Phase.header
    private var buffer: [UInt8] = []
    private var kept: Kept?

    /// - Parameter sendsData: returns for a header (CLA INS P1 P2 P3) whether the command carries data to the card
    ///   (cases 3 and 4). In T=0 only the instruction tells.
    public init(sendsData: @escaping @Sendable ([UInt8]) -> Bool) { self.sendsData = sendsData }

    /// Takes bytes from the interface device: a header, or the data that a procedure byte asked for, in one or several
    /// parts.
    public mutating func received(_ bytes: [UInt8]) -> Step {
        buffer += bytes
        switch phase {
        case .header:
            guard buffer.count >= 5 else { return .awaitMore }
            guard buffer.count == 5 else { return refuse(.noPreciseDiagnosis) }
            return takeHeader(takeBuffer())
        case .data(let header):
            let expected = Int(header[4])
            guard buffer.count >= expected else { return .awaitMore }
            guard buffer.count == expected else { return refuse(.noPreciseDiagnosis) }
            return process(header, data: takeBuffer())
        case .processing:
            return refuse(.noPreciseDiagnosis)
        }
    }

    /// Returns the bytes that answer the command handed out last: data and status, or 61xx / 6Cxx with the data kept
    /// for the following GET RESPONSE or repeated command.
    public mutating func respond(_ response: ResponseAPDU) -> [UInt8] {
        guard case .processing(let header, let sentData) = phase else {
            return Self.bytes(.noPreciseDiagnosis)
        }
        phase = .header
        let status = response.status
        if status.isWarning, sentData {
            // Kept even if empty: the interface device asks for it, and the warning is the command's status.
            kept = .forGetResponse(response)
            return Self.bytes(status)
        }
        guard !response.data.isEmpty, status.isWarning || status.sw1 & 0xF0 == 0x90 else { return Self.bytes(status) }
        guard sentData else { return answer(header, response) }
        kept = .forGetResponse(response)
        return Self.bytes(Self.announcing(response.data.count))
    }

    private mutating func takeBuffer() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    private mutating func takeHeader(_ header: [UInt8]) -> Step {
        guard !T0TPDUExchange.isStatus(header[1]) else { return refuse(.instructionNotSupported) }
        if header[1] == 0xC0 {
            guard case .forGetResponse(let response) = kept else { return refuse(.noPreciseDiagnosis) }
            return .send(fetch(response, header))
        }
        if case .forRepeatedCommand(let first, let response) = kept, first[..<4] == header[..<4] {
            return .send(answer(header, response))
        }
        kept = nil
        if sendsData(header), header[4] > 0 {
            phase = .data(header: header)
            return .send([header[1]])
        }
        return process(header, data: [])
    }

    private mutating func process(_ header: [UInt8], data: [UInt8]) -> Step {
        let sentData = sendsData(header)
        phase = .processing(header: header, sentData: sentData)
        let expectedLength = sentData ? nil : Self.count(header)
        let command = try? CommandAPDU(
            cla: header[0], ins: header[1], p1: header[2], p2: header[3], data: data, expectedLength: expectedLength)
        guard let command else { return refuse(.wrongLength) }
        return .process(command)
    }

    /// The response to a command without data: sent at once if the length matches, otherwise 6Cxx.
    private mutating func answer(_ header: [UInt8], _ response: ResponseAPDU) -> [UInt8] {
        let asked = Self.count(header)
        guard asked == response.data.count || (asked == 256 && response.data.count > 256) else {
            kept = .forRepeatedCommand(header: header, response)
            return [0x6C, UInt8(min(response.data.count, 256) & 0xFF)]
        }
        return deliver(asked, of: response, header)
    }

    /// The kept response for GET RESPONSE: all of it, as much as asked for, or 6Cxx if there is less.
    private mutating func fetch(_ response: ResponseAPDU, _ header: [UInt8]) -> [UInt8] {
        guard !response.data.isEmpty else {
            kept = nil
            return Self.bytes(response.status)
        }
        let asked = Self.count(header)
        guard asked <= response.data.count else { return [0x6C, UInt8(response.data.count & 0xFF)] }
        return deliver(asked, of: response, header)
    }

    private mutating func deliver(_ count: Int, of response: ResponseAPDU, _ header: [UInt8]) -> [UInt8] {
        let rest = Array(response.data.dropFirst(count))
        kept = rest.isEmpty ? nil : .forGetResponse(ResponseAPDU(data: rest, status: response.status))
        let status = rest.isEmpty ? response.status : Self.announcing(rest.count)
        return [header[1]] + response.data.prefix(count) + Self.bytes(status)
    }

    private mutating func refuse(_ status: StatusWord) -> Step {
        (phase, buffer, kept) = (.header, [], nil)
        return .send(Self.bytes(status))
    }

    private static func announcing(_ count: Int) -> StatusWord { StatusWord(0x61, count < 256 ? UInt8(count) : 0) }
    private static func count(_ header: [UInt8]) -> Int { header[4] == 0 ? 256 : Int(header[4]) }
    private static func bytes(_ status: StatusWord) -> [UInt8] { [status.sw1, status.sw2] }
}
