internal import CPCSC
public import Determinism
internal import Synchronization

/// A connection to pcscd. Its calls run one after the other; programs that wait for a change and use a card at the same
/// time take two.
///
/// Call ``release()`` when done. Without it the connection ends when nobody holds the context or one of its cards.
public final class PCSCContext: Sendable {
    let library: PCSCLibrary
    let timing: PCSCTiming
    let calls: PCSCCalls
    let buffer = PCSCAnswerBuffer()
    private let handle: Int
    private let isReleased = Atomic(false)

    /// The most readers that pcscd has, and the longest name of one (pcsclite.h).
    private static let listLength = 16 * (128 + 1) + 1

    /// Connects to pcscd, which systemd starts when it does not run.
    ///
    /// - Parameters:
    ///   - library: whose functions are called; nil takes the machine's.
    ///   - timing: how long to wait for what.
    ///   - time: what the waits are measured by.
    /// - Returns: the connection.
    /// - Throws: ``PCSCError/libraryMissing(_:)``, ``PCSCError/failed(_:_:)`` with
    ///   ``PCSCErrorCode/noService`` where no daemon is and ``PCSCErrorCode/securityViolation`` where polkit refuses
    ///   this user; ``PCSCError/timedOut(_:)``
    public static func establish(
        library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(), time: any TimeSource = SystemTimeSource()
    ) async throws(PCSCError) -> PCSCContext {
        let library = if let library { library } else { try PCSCLibrary.load() }
        let calls = PCSCCalls(timing, time)
        let release: @Sendable (Int) -> Void = { _ = library.functions.SCardReleaseContext($0) }
        let handle = try await calls.run(.establishContext, within: timing.command, undo: release) {
            () throws(PCSCError) -> Int in
            var handle = 0
            // SCARD_SCOPE_SYSTEM
            try Self.check(.establishContext, library.functions.SCardEstablishContext(2, nil, nil, &handle))
            return handle
        }
        return PCSCContext(library, calls, handle, timing)
    }

    private init(_ library: PCSCLibrary, _ calls: PCSCCalls, _ handle: Int, _ timing: PCSCTiming) {
        (self.library, self.calls, self.handle, self.timing) = (library, calls, handle, timing)
    }

    deinit {
        guard !isReleased.load(ordering: .acquiring) else { return }
        calls.start { [library, handle] in _ = library.functions.SCardReleaseContext(handle) }
    }

    /// Whether no more calls are let in: the context was released, or a call did not return.
    public var isClosed: Bool { calls.isClosed }

    /// Ends the connection, and with it what was connected through it. Interrupts a wait for a change. May be called
    /// more than once, and from a cancelled task.
    public func release() async {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        await calls.close { [library, handle] in _ = library.functions.SCardReleaseContext(handle) }
    }

    /// The names of the readers that pcscd has now. A reader with several slots has a name for each.
    ///
    /// - Throws: ``PCSCError``
    public func readers() async throws(PCSCError) -> [String] {
        try await calls.run(.listReaders, within: timing.command) {
            [library, handle] () throws(PCSCError) -> [String] in
            var names = [CChar](repeating: 0, count: Self.listLength)
            var length = UInt(names.count)
            let code = library.functions.SCardListReaders(handle, nil, &names, &length)
            guard PCSCErrorCode(returned: code) != .noReadersAvailable else { return [] }
            try Self.check(.listReaders, code)
            guard length <= names.count else {
                throw .malformedAnswer(.listReaders, "\(length) bytes where \(names.count) were to be had")
            }
            // Each name ends with a zero, and an empty one ends the list.
            return names.prefix(Int(length)).split(separator: 0, omittingEmptySubsequences: false)
                .prefix { !$0.isEmpty }
                .map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) }
        }
    }

    /// Waits until a reader is in another state than `known`, a card came or went or a program began or ceased to use
    /// it. Cancelling the task ends the wait.
    ///
    /// - Parameters:
    ///   - known: the readers, 16 at most, each as it was last known.
    ///   - timeout: the longest wait; zero only looks.
    /// - Returns: the readers as they are, in the same order; nil when nothing has changed in time.
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/unknownReader`` when there is no such reader any more;
    ///   ``PCSCError/cancelled`` and others
    public func change(
        from known: [PCSCReaderState], within timeout: Duration
    ) async throws(PCSCError) -> [PCSCReaderState]? {
        let milliseconds = Self.milliseconds(timeout)
        let cancel: @Sendable () -> Void = { [library, handle] in _ = library.functions.SCardCancel(handle) }
        return try await calls.run(
            .getStatusChange, within: .milliseconds(milliseconds) + timing.command, interruption: .calling(cancel)
        ) { [library, handle, calls] () throws(PCSCError) -> [PCSCReaderState]? in
            let states = PCSCReaderStateBuffer(known)
            while true {
                let code = states.withPointer {
                    library.functions.SCardGetStatusChange(handle, UInt(milliseconds), $0, UInt(known.count))
                }
                switch PCSCErrorCode(returned: code) {
                case .timeout: return nil
                // Meant for an earlier wait that had ended by itself: nobody cancels a call that is not told so.
                case .cancelled where !calls.isInterrupted: continue
                default: try Self.check(.getStatusChange, code)
                }
                return states.states
            }
        }
    }

    /// Connects to the card in a reader, powering it where it has no power.
    ///
    /// pcscd lets this wait while another program has a transaction with the card, and fails it at once while one has
    /// connected for itself alone.
    ///
    /// - Parameters:
    ///   - reader: one of ``readers()``.
    ///   - sharing: what others may do with the card meanwhile.
    ///   - protocols: those that may be used with the card; none for a ``PCSCSharing/direct`` connection.
    ///   - wait: for the connection.
    /// - Returns: the card.
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/sharingViolation``, ``PCSCErrorCode/noSmartCard``,
    ///   ``PCSCErrorCode/unresponsiveCard``, ``PCSCErrorCode/unknownReader`` and others; ``PCSCError/timedOut(_:)`` and
    ///   ``PCSCError/cancelled``, after which the context may take no more calls
    public func connect(
        _ reader: String, sharing: PCSCSharing = .shared, protocols: PCSCProtocols = .t0OrT1,
        within wait: Duration? = nil
    ) async throws(PCSCError) -> PCSCCard {
        let disconnect: @Sendable (PCSCCard.Connection) -> Void = { [library] in
            _ = library.functions.SCardDisconnect($0.handle, PCSCDisposition.leave.rawValue)
        }
        // Nothing makes pcscd return, which waits for the other program.
        let connection = try await calls.run(
            .connect, within: wait ?? timing.sharing, interruption: .leaving, undo: disconnect
        ) { [library, handle] () throws(PCSCError) -> PCSCCard.Connection in
            var card = 0
            var active: UInt = 0
            try Self.check(
                .connect,
                library.functions.SCardConnect(
                    handle, reader, sharing.rawValue, protocols.rawValue, &card, &active))
            return PCSCCard.Connection(handle: card, active: PCSCProtocols(rawValue: active))
        }
        return PCSCCard(connection, sharing, in: self)
    }

    /// - Throws: ``PCSCError/failed(_:_:)`` unless `code` says that the call succeeded.
    static func check(_ call: PCSCCall, _ code: Int) throws(PCSCError) {
        guard let failure = PCSCErrorCode(returned: code) else { return }
        throw .failed(call, failure)
    }

    /// Rounded up, and never the value that stands for a wait without an end.
    private static func milliseconds(_ timeout: Duration) -> Int {
        let longest = Duration.seconds(86_400)
        let (seconds, attoseconds) = min(max(timeout, .zero), longest).components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension PCSCErrorCode {
    /// Nil for success. pcsclite returns 32 bits in a wider number, some functions with its sign.
    init?(returned code: Int) {
        guard code != 0 else { return nil }
        self.init(rawValue: UInt32(truncatingIfNeeded: code))
    }
}
