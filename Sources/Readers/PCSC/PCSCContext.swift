import CPCSC
public import Determinism
import Synchronization

/// A connection to pcscd. Its calls run one after the other; a program that waits for changes and uses a card at the
/// same time needs two.
///
/// Call ``release()`` when done. Otherwise the connection ends when the context and all its cards are released.
public final class PCSCContext: Sendable {
    let library: PCSCLibrary
    let timing: PCSCTiming
    let calls: PCSCCalls
    let buffer = PCSCAnswerBuffer()
    private let handle: Int
    private let isReleased = Atomic(false)

    /// The most readers that pcscd has, and the longest name of one (pcsclite.h).
    private static let listLength = 16 * (128 + 1) + 1

    /// Connects to pcscd, which systemd starts on demand.
    ///
    /// - Parameters:
    ///   - library: the PC/SC library; nil takes the installed one.
    ///   - timing: how long to wait for what.
    ///   - time: the clock that measures the waits.
    /// - Returns: the connection.
    /// - Throws: ``PCSCError/libraryMissing(_:)``, ``PCSCError/failed(_:_:)`` with
    ///   ``PCSCErrorCode/noService`` without a daemon and ``PCSCErrorCode/securityViolation`` where polkit refuses
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

    /// Whether the context refuses calls: it was released, or a call did not return.
    public var isClosed: Bool { calls.isClosed }

    /// Ends the connection and the connections to its cards. Interrupts a wait for a change. Can be called more than
    /// once, and from a canceled task.
    public func release() async {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        await calls.close { [library, handle] in _ = library.functions.SCardReleaseContext(handle) }
    }

    /// Returns the names of pcscd's readers. A reader with several slots has a name for each.
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
    /// it. Canceling the task ends the wait.
    ///
    /// - Parameters:
    ///   - known: the readers, 16 at most, each as it was last known.
    ///   - timeout: the longest wait; zero returns at once.
    /// - Returns: the current states, in the same order; nil when nothing changed in time.
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/unknownReader`` when the reader is gone;
    ///   ``PCSCError/canceled`` and others
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
                // This was meant for an earlier wait that had ended by itself.
                case .canceled where !calls.isInterrupted: continue
                default: try Self.check(.getStatusChange, code)
                }
                return states.states
            }
        }
    }

    /// Connects to the card in a reader, powering it where it has no power.
    ///
    /// Waits while another program has a transaction with the card, and fails at once while one has an exclusive
    /// connection.
    ///
    /// - Parameters:
    ///   - reader: one of ``readers()``.
    ///   - sharing: the access of other programs meanwhile.
    ///   - protocols: the allowed protocols; none for a ``PCSCSharing/direct`` connection.
    ///   - wait: for the connection.
    /// - Returns: the card.
    /// - Throws: ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/sharingViolation``, ``PCSCErrorCode/noSmartCard``,
    ///   ``PCSCErrorCode/unresponsiveCard``, ``PCSCErrorCode/unknownReader`` and others; ``PCSCError/timedOut(_:)`` and
    ///   ``PCSCError/canceled``, after which the context may refuse calls
    public func connect(
        _ reader: String, sharing: PCSCSharing = .shared, protocols: PCSCProtocols = .t0OrT1,
        within wait: Duration? = nil
    ) async throws(PCSCError) -> PCSCCard {
        let disconnect: @Sendable (PCSCCard.Connection) -> Void = { [library] in
            _ = library.functions.SCardDisconnect($0.handle, PCSCDisposition.leave.rawValue)
        }
        // pcscd waits for the other program, and nothing interrupts it.
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

    /// pcscd checks the user when a program connects. A refusal after that is of a pcscd that is stopping, and has
    /// forgotten the connection.
    ///
    /// - Throws: ``PCSCError/failed(_:_:)`` unless `code` says that the call succeeded.
    static func check(_ call: PCSCCall, _ code: Int) throws(PCSCError) {
        guard let failure = PCSCErrorCode(returned: code) else { return }
        let connects = [.establishContext, .connect, .reconnect].contains(call)
        throw .failed(call, failure == .securityViolation && !connects ? .noService : failure)
    }

    /// Rounds up, and never returns the value for an infinite wait.
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

/// The state of a reader and its card.
public struct PCSCReaderState: Hashable, Sendable {
    /// A pseudo reader whose state changes when a reader is added or removed.
    public static let readerList = PCSCReaderState(reader: #"\\?PnP?\Notification"#)

    public let reader: String
    /// Without SCARD_STATE_CHANGED.
    public var flags: Flags
    /// How many times a card was inserted or removed, modulo 65,536.
    public var events: UInt16
    /// The card's answer to reset; empty without one.
    public var answerToReset: [UInt8]

    /// A reader in an unknown state. The first wait for its change returns at once.
    public init(reader: String) { self.init(reader: reader, flags: [], events: 0, answerToReset: []) }

    init(reader: String, flags: Flags, events: UInt16, answerToReset: [UInt8]) {
        (self.reader, self.flags, self.events) = (reader, flags, events)
        self.answerToReset = answerToReset
    }

    /// The low half of `dwEventState` (PC/SC part 5; the values are those of pcsclite.h).
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt16
        /// Takes the low half of `dwEventState`; unknown bits are kept.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        static let changed = Flags(rawValue: 0x0002)
        /// No such reader.
        public static let unknown = Flags(rawValue: 0x0004)
        /// The reader does not answer.
        public static let unavailable = Flags(rawValue: 0x0008)
        /// No card.
        public static let empty = Flags(rawValue: 0x0010)
        /// A card.
        public static let present = Flags(rawValue: 0x0020)
        /// A program has an exclusive connection to the card.
        public static let exclusive = Flags(rawValue: 0x0080)
        /// Programs are connected to the card.
        public static let inUse = Flags(rawValue: 0x0100)
        /// The card does not answer.
        public static let mute = Flags(rawValue: 0x0200)
    }

    /// Whether the reader is gone.
    public var isGone: Bool { !flags.isDisjoint(with: [.unknown, .unavailable]) }
}

/// The timeouts and pauses with pcscd, a card, and other programs.
public struct PCSCTiming: Hashable, Sendable {
    /// The timeout of a call that does not reach a card.
    public var command: Duration = .seconds(10)
    /// The timeout for a card that another program blocks, and of its activation.
    public var sharing: Duration = .seconds(5)
    /// The timeout of a whole command APDU.
    public var exchange: Duration = .seconds(60)
    /// The timeout of the return of an interrupted call.
    public var interruption: Duration = .seconds(2)
    /// The pause between two attempts while another program blocks the card.
    public var retryInterval: Duration = .milliseconds(100)
    /// The time that pcscd, which polls every 0.4 s, takes to detect a removed card or reader after a failed exchange.
    public var removal: Duration = .seconds(1)
    /// The pause between two reads of the reader list, besides pcscd's notifications, which miss a reader that was
    /// added between two calls.
    public var listInterval: Duration = .seconds(10)

    /// Creates the times of the driver.
    public init() {}
}
