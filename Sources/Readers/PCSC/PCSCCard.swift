import CPCSC
import Glibc
import Synchronization

/// A card that is connected through pcscd, or a reader with ``PCSCSharing/direct``.
///
/// Call ``disconnect(_:)`` when done. Otherwise the card is left as it is when this object is released.
public final class PCSCCard: Sendable {
    struct Connection: Sendable {
        let handle: Int
        var active: PCSCProtocols
    }

    /// The context of the connection.
    public let context: PCSCContext
    private let handle: Int
    private let sharing: PCSCSharing
    private let active: Mutex<PCSCProtocols>
    private let isConnected = Atomic(true)

    init(_ connection: Connection, _ sharing: PCSCSharing, in context: PCSCContext) {
        (self.context, self.sharing, handle) = (context, sharing, connection.handle)
        active = Mutex(connection.active)
    }

    deinit {
        guard isConnected.load(ordering: .acquiring) else { return }
        context.calls.start { [library = context.library, handle] in
            _ = library.functions.SCardDisconnect(handle, PCSCDisposition.leave.rawValue)
        }
    }

    /// The protocol in use; none for a direct connection.
    public var activeProtocol: PCSCProtocols { active.withLock { $0 } }

    // MARK: Transactions

    /// Waits until no other program has a transaction with the card, and begins one. Until ``endTransaction(_:)`` or
    /// ``disconnect(_:)`` no other program reaches the card.
    ///
    /// - Throws: ``PCSCError/failed(_:_:)``; ``PCSCError/timedOut(_:)`` and ``PCSCError/canceled``, after which the
    ///   context may take no more calls
    public func beginTransaction(within wait: Duration? = nil) async throws(PCSCError) {
        let library = context.library
        let disconnect: @Sendable (()) -> Void = { [handle] _ in
            _ = library.functions.SCardDisconnect(handle, PCSCDisposition.leave.rawValue)
        }
        // libpcsclite polls pcscd without a time limit.
        try await context.calls.run(
            .beginTransaction, within: wait ?? context.timing.sharing, interruption: .leaving, undo: disconnect
        ) { [handle] () throws(PCSCError) in
            try PCSCContext.check(.beginTransaction, library.functions.SCardBeginTransaction(handle))
        }
    }

    /// Lets other programs access the card again.
    ///
    /// - Throws: ``PCSCError``
    public func endTransaction(_ disposition: PCSCDisposition = .leave) async throws(PCSCError) {
        try await call(.endTransaction) { $0.SCardEndTransaction($1, disposition.rawValue) }
    }

    // MARK: Exchange

    /// Sends a command to the card: with T=1 an APDU, with T=0 a TPDU, whose 61xx and 6Cxx the caller handles
    /// (PC/SC part 5). Waits for the answer in a canceled task, too: a command cannot be taken back.
    ///
    /// - Returns: the card's answer, at most 65,538 bytes.
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/removedCard``, ``PCSCErrorCode/resetCard``,
    ///   ``PCSCErrorCode/notTransacted`` and others; ``PCSCError/timedOut(_:)``
    public func transmit(_ command: [UInt8], within wait: Duration? = nil) async throws(PCSCError) -> [UInt8] {
        var request = cpcsc_io_request()
        request.protocol = activeProtocol.contains(.t1) ? PCSCProtocols.t1.rawValue : PCSCProtocols.t0.rawValue
        request.length = UInt(MemoryLayout<cpcsc_io_request>.size)
        let message = PCSCMessage(command)
        return try await context.calls.run(.transmit, within: wait ?? context.timing.exchange) {
            [context, handle, request] () throws(PCSCError) -> [UInt8] in
            var request = request
            return try context.buffer.fill(.transmit) { answer, length throws(PCSCError) in
                try PCSCContext.check(
                    .transmit,
                    context.library.functions.SCardTransmit(
                        handle, &request, message.start, UInt(message.count), nil, answer, &length))
            }
        }
    }

    /// Sends a command to the reader's driver.
    ///
    /// - Parameters:
    ///   - code: the control code.
    ///   - command: the data of the command.
    ///   - room: the most bytes of the answer.
    ///   - wait: for the answer.
    /// - Returns: the driver's answer.
    /// - Throws: ``PCSCError/failed(_:_:)``; for example, when the driver does not know the command.
    public func control(
        _ code: UInt32, _ command: [UInt8] = [], room: Int = 512, within wait: Duration? = nil
    ) async throws(PCSCError) -> [UInt8] {
        let message = PCSCMessage(command)
        return try await context.calls.run(.control, within: wait ?? context.timing.command) {
            [context, handle] () throws(PCSCError) -> [UInt8] in
            try context.buffer.fill(.control, room: room) { answer, length throws(PCSCError) in
                try PCSCContext.check(
                    .control,
                    context.library.functions.SCardControl(
                        handle, UInt(code), message.start, UInt(message.count), answer, length, &length))
            }
        }
    }

    /// Returns an attribute of the reader (PC/SC part 3).
    ///
    /// - Throws: ``PCSCError/failed(_:_:)``; many drivers support few attributes.
    public func attribute(_ number: UInt32) async throws(PCSCError) -> [UInt8] {
        try await context.calls.run(.getAttribute, within: context.timing.command) {
            [context, handle] () throws(PCSCError) -> [UInt8] in
            // The most that libpcsclite supports (MAX_BUFFER_SIZE of pcsclite.h).
            try context.buffer.fill(.getAttribute, room: 264) { value, length throws(PCSCError) in
                try PCSCContext.check(
                    .getAttribute, context.library.functions.SCardGetAttrib(handle, UInt(number), value, &length))
            }
        }
    }

    // MARK: State

    /// The card's answer to its last reset, at most 33 bytes.
    ///
    /// - Throws: ``PCSCError``
    public func answerToReset() async throws(PCSCError) -> [UInt8] {
        try await context.calls.run(.status, within: context.timing.command) {
            [context, handle] () throws(PCSCError) -> [UInt8] in
            try context.buffer.fill(.status, room: 33) { answer, length throws(PCSCError) in
                try PCSCContext.check(
                    .status, context.library.functions.SCardStatus(handle, nil, nil, nil, nil, answer, &length))
            }
        }
    }

    /// Resets the card and agrees on a protocol again. A transaction continues.
    ///
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/unresponsiveCard``, ``PCSCErrorCode/removedCard`` and
    ///   others
    public func reconnect(
        _ initialization: PCSCDisposition, protocols: PCSCProtocols = .t0OrT1
    ) async throws(PCSCError) {
        let agreed = try await context.calls.run(.reconnect, within: context.timing.sharing) {
            [library = context.library, handle, sharing] () throws(PCSCError) -> PCSCProtocols in
            var agreed: UInt = 0
            try PCSCContext.check(
                .reconnect,
                library.functions.SCardReconnect(
                    handle, sharing.rawValue, protocols.rawValue, initialization.rawValue, &agreed))
            return PCSCProtocols(rawValue: agreed)
        }
        active.withLock { $0 = agreed }
    }

    /// Disconnects from the card, and ends its transaction. Can be called more than once, and from a canceled task.
    ///
    /// - Throws: ``PCSCError``; the card is disconnected in any case when the context ends.
    public func disconnect(_ disposition: PCSCDisposition = .leave) async throws(PCSCError) {
        guard isConnected.exchange(false, ordering: .acquiringAndReleasing) else { return }
        try await call(.disconnect) { $0.SCardDisconnect($1, disposition.rawValue) }
    }

    private func call(
        _ name: PCSCCall, _ body: @escaping @Sendable (cpcsc_functions, Int) -> Int
    ) async throws(PCSCError) {
        try await context.calls.run(name, within: context.timing.command) {
            [library = context.library, handle] () throws(PCSCError) in
            try PCSCContext.check(name, body(library.functions, handle))
        }
    }
}

/// The action on a card when a program reconnects or disconnects (PC/SC part 5).
public enum PCSCDisposition: UInt, Hashable, Sendable {
    case leave = 0
    /// A warm reset.
    case reset = 1
    /// Power off; a cold reset on reconnection.
    case unpower = 2
}

/// The access of other programs to a card while this one is connected to it (PC/SC part 5).
public enum PCSCSharing: UInt, Hashable, Sendable {
    /// None: other programs cannot connect.
    case exclusive = 1
    /// Other programs can connect, and exchange commands outside a transaction.
    case shared = 2
    /// Connects to the reader, with or without a card.
    case direct = 3
}

/// Transmission protocols (PC/SC part 5; the values are those of pcsclite.h).
public struct PCSCProtocols: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    /// Takes the bits of pcsclite.h.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let t0 = PCSCProtocols(rawValue: 1)
    public static let t1 = PCSCProtocols(rawValue: 2)
    /// Whichever the card prefers.
    public static let t0OrT1: PCSCProtocols = [.t0, .t1]
}

/// The bytes of a command in memory that is wiped afterward, as it may hold a PIN.
final class PCSCMessage: Sendable {
    // Written once, in `init`, and only read afterwards.
    nonisolated(unsafe) private let memory: UnsafeMutablePointer<UInt8>
    /// Number of bytes.
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        memory = .allocate(capacity: max(1, count))
        memory.initialize(repeating: 0, count: max(1, count))
        UnsafeMutableRawBufferPointer(start: memory, count: count).copyBytes(from: bytes)
    }

    deinit {
        explicit_bzero(memory, count)
        memory.deallocate()
    }

    /// The address of the bytes, valid as long as this object.
    var start: UnsafePointer<UInt8> { UnsafePointer(memory) }
}
