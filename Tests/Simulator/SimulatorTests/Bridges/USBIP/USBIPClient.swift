import Testing

@testable import Simulator

/// A USB/IP client with its own codec, so that errors in the server's codec are detected.
final class USBIPClient {
    struct Reply: Hashable {
        /// 3 for an ended transfer, 4 for a canceled one.
        var command: UInt32
        var sequence: UInt32
        var status: Int32
        var length: Int
        var data: [UInt8] = []
    }

    private let connection: BridgeConnection
    private var received: [UInt8] = []
    private var lastSequence: UInt32 = 0
    private var isInput: [UInt32: Bool] = [:]
    /// The number by which commands name the device.
    private(set) var device: UInt32 = 0

    init(_ address: BridgeAddress) async throws { connection = try await BridgeConnection.open(address) }

    static func word(_ value: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) } }

    func send(_ bytes: [UInt8]) async throws { try await connection.send(bytes) }

    /// So many bytes, or fewer when the server has ended the connection.
    func receive(_ count: Int) async throws -> [UInt8] {
        while received.count < count {
            // However long it takes: a busy machine is no fault of the server's.
            do { received += try await connection.receive() } catch BridgeError.peerDisconnected { break }
        }
        defer { received.removeFirst(min(count, received.count)) }
        return Array(received.prefix(count))
    }

    /// Whether the server has ended the connection.
    func isAtEnd() async throws -> Bool { try await receive(1).isEmpty }

    /// The answer to OP_REQ_DEVLIST, to the end of the connection.
    func list() async throws -> [UInt8] {
        try await send([0x01, 0x11, 0x80, 0x05, 0, 0, 0, 0])
        return try await receive(.max)
    }

    /// Sends OP_REQ_IMPORT.
    ///
    /// - Returns: the status; the device's record follows when it is 0.
    @discardableResult
    func importDevice(_ busID: String = "1-1") async throws -> (status: UInt8, record: [UInt8]) {
        let name = Array(busID.utf8)
        try await send([0x01, 0x11, 0x80, 0x03, 0, 0, 0, 0] + name + [UInt8](repeating: 0, count: 32 - name.count))
        let head = try await receive(8)
        #expect(head.prefix(7) == [0x01, 0x11, 0x00, 0x03, 0, 0, 0])
        guard head.last == 0 else { return (head.last ?? 0xFF, []) }
        let record = try await receive(312)
        // busnum and devnum, of which the low halves count.
        device = UInt32(record[291]) << 16 | UInt32(record[295])
        return (0, record)
    }

    /// Sends USBIP_CMD_SUBMIT to an endpoint's address, b7 of which means IN, and gives the sequence number.
    @discardableResult
    func submit(
        _ endpoint: UInt8, length: Int, data: [UInt8] = [], setup: [UInt8] = [UInt8](repeating: 0, count: 8),
        flags: UInt32 = 0, packets: UInt32 = 0
    ) async throws -> UInt32 {
        lastSequence += 1
        isInput[lastSequence] = endpoint & 0x80 != 0
        var bytes: [UInt8] = []
        for value in [
            1, lastSequence, device, endpoint & 0x80 == 0 ? 0 : 1, UInt32(endpoint & 0x0F), flags, UInt32(length), 0,
            packets, 0,
        ] { bytes += Self.word(value) }
        try await send(bytes + setup + data)
        return lastSequence
    }

    /// Sends USBIP_CMD_UNLINK.
    @discardableResult
    func unlink(_ victim: UInt32) async throws -> UInt32 {
        lastSequence += 1
        var bytes: [UInt8] = []
        for value in [2, lastSequence, device, 0, 0, victim] { bytes += Self.word(value) }
        try await send(bytes + [UInt8](repeating: 0, count: 24))
        return lastSequence
    }

    /// The next answer.
    func reply() async throws -> Reply {
        let head = try await receive(48)
        try #require(head.count == 48, "the server has ended the connection")
        func word(_ offset: Int) -> UInt32 { head[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        #expect(head[8..<20].allSatisfy { $0 == 0 }, "device, direction and endpoint mean nothing in an answer")
        var reply = Reply(
            command: word(0), sequence: word(4), status: Int32(bitPattern: word(20)), length: Int(word(24)))
        if reply.command == 3, isInput[reply.sequence] == true { reply.data = try await receive(reply.length) }
        return reply
    }

    /// A transfer and its answer, which must be the next one.
    func transfer(
        _ endpoint: UInt8, length: Int? = nil, data: [UInt8] = [], setup: [UInt8] = [UInt8](repeating: 0, count: 8),
        flags: UInt32 = 0
    ) async throws -> Reply {
        let sequence = try await submit(
            endpoint, length: length ?? data.count, data: data, setup: setup, flags: flags)
        let reply = try await reply()
        #expect(reply.command == 3)
        #expect(reply.sequence == sequence)
        return reply
    }

    /// A control request with data to the host.
    func ask(_ setup: [UInt8]) async throws -> Reply {
        try await transfer(0x80, length: Int(setup[6]) | Int(setup[7]) << 8, setup: setup)
    }

    /// A control request with data to the device, or without.
    func tell(_ setup: [UInt8], data: [UInt8] = []) async throws -> Reply {
        try await transfer(0x00, data: data, setup: setup)
    }

    /// A CCID message and the answer to it.
    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        let out = try await transfer(SimulatedReaderModel.bulkOutEndpoint, data: message)
        #expect(out.status == 0)
        #expect(out.length == message.count)
        let answer = try await transfer(SimulatedReaderModel.bulkInEndpoint, length: 1024)
        #expect(answer.status == 0)
        return answer.data
    }
}
