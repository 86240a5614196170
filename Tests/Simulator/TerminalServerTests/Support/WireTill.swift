import Connections
import Determinism
import TestDoubles
import Testing
import Text

@testable import TerminalServer

/// A till on a real connection. Messages are lowercase hexadecimal digits.
struct WireTill {
    private let connection: TCPConnection
    private var pending: [UInt8] = []

    static let registration = "0600170000008e09780300060d26080a0206d30a0206d1120140"
    static let acknowledgment = "800000"
    static let pleaseWait = "849c00"
    static let repeatReceipt = "0620050000000303"

    private static let time = SystemTimeSource()
    /// Ends a test that hangs; no test that passes waits for it.
    private static var soon: Deadline { Deadline(after: .seconds(600), on: time) }

    init(_ server: ZVTServer) async throws {
        let address = TCPAddress(host: "127.0.0.1", port: UInt16(server.port))
        connection = try await TCPConnector(time: Self.time).connect(to: address, deadline: Self.soon)
    }

    /// An authorization of this many cents, in euros.
    static func sale(_ cents: Int) -> String { "06010c04" + cents.zeroPadded(to: 12) + "4909781940" }

    /// A reversal of a receipt.
    static func reversal(_ receipt: Int) -> String { "063006000000" + "87" + receipt.zeroPadded(to: 4) }

    func send(_ hexadecimal: String) async throws {
        try await connection.write(try #require([UInt8](hexadecimal: hexadecimal)), deadline: Self.soon)
    }

    func close() { connection.close() }

    /// The next message of the terminal; nil after the end of the connection.
    mutating func receive() async throws -> String? {
        while true {
            if pending.count >= 3 {
                let head = pending[2] == 0xFF ? 5 : 3
                if pending.count >= head {
                    let count = head == 3 ? Int(pending[2]) : Int(pending[3]) | Int(pending[4]) << 8
                    if pending.count >= head + count {
                        defer { pending.removeFirst(head + count) }
                        return pending.prefix(head + count).lowercaseHexadecimal
                    }
                }
            }
            let more: [UInt8]?
            do throws(ConnectionFailure) { more = try await connection.read(upTo: 4096, deadline: Self.soon) } catch {
                // What the terminal did not read before it closed the connection breaks it off.
                guard error == .reset else { throw error }
                return nil
            }
            guard let more else { return nil }
            pending += more
        }
    }

    /// Sends a command and acknowledges what comes, up to the end of the command.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - last: the first digits of the message that is not acknowledged; nil to acknowledge all.
    /// - Returns: the messages; without an end when the connection ended.
    /// - Throws: `ConnectionFailure`, `WriteFailure`
    mutating func command(_ command: String, until last: String? = nil) async throws -> [String] {
        try await send(command)
        var messages: [String] = []
        while let message = try await receive() {
            messages.append(message)
            if message == Self.acknowledgment { continue }
            if message.hasPrefix("84") { break }
            if let last, message.hasPrefix(last) { break }
            try await send(Self.acknowledgment)
            if message.hasPrefix("060f") || message.hasPrefix("061e") { break }
        }
        return messages
    }

    /// Registers, so that the terminal names its currency, when it has done with what ran before.
    mutating func register() async throws {
        while try await command(Self.registration) == [Self.pleaseWait] {}
    }

    /// Asks for the last transaction, until the terminal has done with what ran before.
    mutating func last() async throws -> [String] {
        while true {
            let messages = try await command(Self.repeatReceipt)
            if messages != [Self.pleaseWait] { return messages }
        }
    }
}

extension [String] {
    /// The status information among messages; empty without one.
    var status: String { first { $0.hasPrefix("040f") } ?? "" }

    /// The intermediate statuses among messages, two digits each.
    var steps: [String] { filter { $0.hasPrefix("04ff") }.map { String($0.dropFirst(6).prefix(2)) } }
}

extension ZVTServer {
    /// A server for tests, on a free port. Its time-outs run when a test moves the time.
    static func test(
        seed: UInt64 = 1, time: any TimeSource = ManualTimeSource(), onPrint: @escaping @Sendable () -> Void = {}
    ) async throws -> ZVTServer {
        try await start(seed: seed, time: time) { _ in onPrint() }
    }
}
