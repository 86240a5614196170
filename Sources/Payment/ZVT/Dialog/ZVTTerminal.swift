import Payments
public import Terminal

/// The terminal's side of ZVT: bytes of tills in, bytes and calls of the terminal model out. It has no sockets and no
/// clock.
///
/// Its owner opens connections, passes bytes, fires the timers that it asked for, and calls ``update(_:)`` after each
/// change of the model. Each call returns what to do. The dialog follows PA00P015 revision 13.08 (commands) and
/// PA00P016 revision 04 (transport and time-outs).
///
/// A command of the till ends with 06 0F or 06 1E, and every message of the terminal before it waits for the till's
/// answer. **When the answer to a status information of a payment does not come, the payment is reversed**: the till
/// does not know of it. With its answer, and those to the receipts, the payment stands. A till that compares the number
/// of the last transaction (tag 1F1F) decides itself: its next command says whether it saw the last one.
public struct ZVTTerminal: Sendable {
    let options: ZVTTerminalOptions
    var registration = ZVTRegistration()
    var dialog: ZVTDialog?
    var lastTransaction = ZVTLastTransaction()
    var owed = ZVTOwedReversals()
    private var connections: [Int: ZVTFrameReader] = [:]
    private var effects: [ZVTEffect] = []
    /// The number of requests, for their keys.
    private var requests = 0

    /// Makes a terminal without a registration.
    public init(_ options: ZVTTerminalOptions) { self.options = options }

    /// Whether the card reader is there. A status enquiry says so.
    public var hasReader = true

    /// The connection whose command runs; nil without one.
    public var connectionInDialog: Int? { dialog.flatMap { $0.isConnected ? $0.connection : nil } }

    /// Whether a till's command runs.
    public var isInDialog: Bool { dialog != nil }

    /// Whether the till has not yet answered what was sent, so that no further message can be sent.
    public var isAwaitingAnswer: Bool { dialog.map { $0.isAwaitingAnswer || $0.isPausing } ?? false }

    // MARK: Calls of the owner

    /// Says that a till connected. `connection` is a number that no other connection has had.
    public mutating func open(_ connection: Int) {
        connections[connection] = ZVTFrameReader(maximumLength: options.longestCommand)
    }

    /// Takes bytes of a connection, however they are cut.
    public mutating func receive(
        _ bytes: some Collection<UInt8>, on connection: Int, _ terminal: inout TerminalModel
    ) -> [ZVTEffect] {
        var isSameMessage = connections[connection]?.pendingCount ?? 0 > 0
        let wasPending = isSameMessage
        connections[connection]?.feed(bytes)
        while let frame = nextFrame(connection, &terminal) {
            isSameMessage = false
            take(frame, connection, &terminal)
        }
        if let reader = connections[connection] {
            // The time counts from the first byte of a message.
            if reader.pendingCount > 0, !isSameMessage { start(.frame(connection), options.answerTimeout) }
            if reader.pendingCount == 0, wasPending { stop(.frame(connection)) }
        }
        return takeEffects()
    }

    /// Says that a connection ended. Before the card is read, that ends the request; later it goes on.
    public mutating func close(_ connection: Int, _ terminal: inout TerminalModel) -> [ZVTEffect] {
        lose(connection, &terminal)
        return takeEffects()
    }

    /// Takes up a request that ran when the terminal stopped (``TerminalModel/init(records:open:)``). Its till is gone:
    /// the result is reversed as one that did not arrive.
    public mutating func recover(_ request: TerminalRequest, _ terminal: inout TerminalModel) -> [ZVTEffect] {
        guard dialog == nil else { return [] }
        var dialog = ZVTDialog(
            command: ZVTMessage(.authorization), connection: .min, stage: .running(request.key))
        dialog.isConnected = false
        self.dialog = dialog
        advance(&terminal)
        return takeEffects()
    }

    /// Takes up what a terminal kept before it stopped, which the model has, too
    /// (``TerminalModel/init(kept:offset:reader:)``): the request that ran, and a result whose arrival the till has not
    /// acknowledged. It is reversed, unless its till asks for the number of the last transaction (tag 1F1F).
    public mutating func takeUp(_ kept: [KeptRequest], _ terminal: inout TerminalModel) -> [ZVTEffect] {
        guard dialog == nil else { return [] }
        let approved = kept.last { $0.outcome?.transaction != nil && !$0.request.isAutomatic }
        let open = kept.last { $0.outcome == nil }
        // The last one is reversed at once, unless another request comes first.
        owe(kept, except: open == nil ? approved?.request.key : nil)
        var asks = false
        if let approved, let number = approved.outcome?.transaction?.receiptNumber {
            asks = lastTransaction.takeUp(approved.note, Int64(number), approved.request.key)
        }
        if let open { return recover(open.request, &terminal) }
        guard let approved, !approved.isConfirmed, !approved.isTakenBack else { return takeEffects() }
        guard !asks else {
            terminal.confirm(approved.request.key)
            return takeEffects()
        }
        var dialog = ZVTDialog(
            command: ZVTMessage(.authorization), connection: .min, stage: .reporting(approved.request.key))
        dialog.isConnected = false
        self.dialog = dialog
        abandon(approved.request.key, &terminal)
        return takeEffects()
    }

    /// What is to be kept with a change of a request, so that ``takeUp(_:_:)`` can read it: JSON; nil for nothing new.
    public func note(for change: TerminalChange) -> String? {
        guard let dialog, sendsLastTransaction(dialog.command), case .running(change.request.key) = dialog.stage else {
            return nil
        }
        return lastTransaction.note
    }

    /// Says that a timer ran out.
    public mutating func fire(_ timer: ZVTTimer, _ terminal: inout TerminalModel) -> [ZVTEffect] {
        switch timer {
        case .frame(let connection): drop(connection, &terminal)
        case .answer:
            if let dialog, dialog.isAwaitingAnswer { drop(dialog.connection, &terminal) }
        case .dialog:
            if case .running(let key)? = dialog?.stage { endWait(for: key, &terminal) }
            advance(&terminal)
        case .repetition: repeatProgress()
        case .status:
            dialog?.isPausing = false
            pump()
        case .reversal: reverseOwed(&terminal)
        }
        return takeEffects()
    }

    /// Ends a request that made no progress. One whose result stays open after that loses its till, so that the till
    /// does not wait without end: when it is approved later, it is reversed.
    private mutating func endWait(for key: IdempotencyKey, _ terminal: inout TerminalModel) {
        _ = terminal.cancel(key, .timedOut)
        guard let dialog, dialog.isConnected else { return }
        guard !dialog.isOverdue else { return drop(dialog.connection, &terminal) }
        self.dialog?.isOverdue = true
        start(.dialog, options.dialogTimeout)
    }

    /// Takes what changed in the terminal model.
    public mutating func update(_ terminal: inout TerminalModel) -> [ZVTEffect] {
        advance(&terminal)
        return takeEffects()
    }

    private mutating func takeEffects() -> [ZVTEffect] {
        defer { effects = [] }
        return effects
    }

    // MARK: Connections

    private mutating func nextFrame(_ connection: Int, _ terminal: inout TerminalModel) -> ZVTFrame? {
        do throws(ZVTError) { return try connections[connection]?.next() } catch {
            // The stream has no place at which reading could go on.
            drop(connection, &terminal)
            return nil
        }
    }

    /// Closes a connection, and does what follows from its end.
    private mutating func drop(_ connection: Int, _ terminal: inout TerminalModel) {
        guard connections[connection] != nil else { return }
        effects.append(.close(connection))
        lose(connection, &terminal)
    }

    private mutating func lose(_ connection: Int, _ terminal: inout TerminalModel) {
        guard connections.removeValue(forKey: connection) != nil else { return }
        effects.append(.stopTimer(.frame(connection)))
        guard var lost = dialog, lost.connection == connection, lost.isConnected else { return }
        let isUndelivered = lost.hasUndelivered
        lost.isConnected = false
        lost.outgoing = []
        (lost.isAwaitingAnswer, lost.isPausing) = (false, false)
        dialog = lost
        effects += [.stopTimer(.answer), .stopTimer(.repetition), .stopTimer(.status)]
        switch lost.stage {
        case .running(let key): _ = terminal.cancel(key, .byTill)
        case .reporting(let key):
            if isUndelivered { abandon(key, &terminal) } else { endDialog() }
        case .takingBack, .undoing: break
        }
        advance(&terminal)
    }

    func isOpen(_ connection: Int) -> Bool { connections[connection] != nil }

    /// Sends a message. One that can't be written ends the connection as if its answer did not come: the till then asks
    /// for the result.
    mutating func send(_ message: ZVTMessage, on connection: Int) {
        guard isOpen(connection) else { return }
        do throws(ZVTError) { effects.append(.send(try message.encoded(), on: connection)) } catch {
            effects.append(.startTimer(.answer, .zero))
        }
    }

    mutating func send(_ control: ZVTControl, on connection: Int) { send(ZVTMessage(control), on: connection) }

    mutating func start(_ timer: ZVTTimer, _ duration: Duration) { effects.append(.startTimer(timer, duration)) }

    mutating func stop(_ timer: ZVTTimer) { effects.append(.stopTimer(timer)) }

    /// Returns the key of a new request.
    mutating func nextKey() -> String {
        requests += 1
        return "\(options.keyPrefix)-\(requests)"
    }

    private mutating func take(_ frame: ZVTFrame, _ connection: Int, _ terminal: inout TerminalModel) {
        let message: ZVTMessage
        do throws(ZVTError) { message = try ZVTMessage(frame) } catch {
            // An answer decides by its control field. Its data can't be read, and is not needed.
            guard !frame.control.isAnswer else {
                takeAnswer(ZVTMessage(frame.control), connection, &terminal)
                return
            }
            switch error.rule {
            case .unknownCommand, .unknownField: send(.notPossible, on: connection)
            default: send(.negative(.protocolError), on: connection)
            }
            return
        }
        if message.control.isAnswer {
            takeAnswer(message, connection, &terminal)
        } else if message.control == .abortCommand {
            takeAbort(connection, &terminal)
        } else if dialog != nil {
            send(.pleaseWait, on: connection)
        } else {
            takeCommand(message, connection, &terminal)
        }
    }

    private mutating func takeAbort(_ connection: Int, _ terminal: inout TerminalModel) {
        guard let dialog, dialog.connection == connection else {
            send(self.dialog == nil ? .positive : .pleaseWait, on: connection)
            return
        }
        send(.positive, on: connection)
        if case .running(let key) = dialog.stage { _ = terminal.cancel(key, .byTill) }
        advance(&terminal)
    }
}
