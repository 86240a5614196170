import CardSecrets
public import Determinism
public import SmartCard

/// A reader behind pcscd, and the card in it.
///
/// While a card is powered this program has a transaction with it: other programs have no access to it, and learn that
/// it was reset. Otherwise all programs share the reader.
///
/// Call ``close()`` when done.
public actor PCSCReader {
    struct Session {
        let card: PCSCCard
        /// The number of this activation of the reader; a channel of an earlier one is invalid.
        let activation: UInt64
        /// The control code that lets the reader take a PIN; nil when it cannot.
        let verifyPIN: UInt32?
        /// Whether the reader can show a PIN prompt on its display.
        let hasDisplay: Bool
        /// An exchange failed: it is unknown how far the card got with it.
        var hasFailed = false
    }

    /// The reader's name in pcscd.
    public nonisolated let name: String
    /// Whether the name is that of a contactless reader.
    public nonisolated var isContactless: Bool { PCSCReaderName(name).isContactless }
    nonisolated let timing: PCSCTiming
    let time: any TimeSource
    private let library: PCSCLibrary?
    private var context: PCSCContext
    private var isClosed = false
    /// The reason why the connection to pcscd broke.
    private var breach: PCSCError?
    private var activations: UInt64 = 0
    var session: Session?
    /// pcscd's count of insertions and removals when a card was powered; nil when the removal of that card was
    /// reported.
    private var poweredEvents: UInt16?

    /// Opens a reader.
    ///
    /// - Parameters:
    ///   - name: one of ``PCSCContext/readers()``.
    ///   - library: the PC/SC library; nil takes the installed one.
    ///   - timing: how long to wait for what.
    ///   - time: the clock that measures the waits.
    /// - Returns: the reader, without a connection to its card.
    /// - Throws: ``PCSCError/noSuchReader(_:known:)`` and the errors of ``PCSCContext/establish(library:timing:time:)``
    public static func open(
        _ name: String, library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(),
        time: any TimeSource = SystemTimeSource()
    ) async throws(PCSCError) -> PCSCReader {
        let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
        do throws(PCSCError) {
            let known = try await context.readers()
            guard known.contains(name) else { throw .noSuchReader(name, known: known) }
        } catch {
            await context.release()
            throw error
        }
        return PCSCReader(name, context, library, timing, time)
    }

    private init(
        _ name: String, _ context: PCSCContext, _ library: PCSCLibrary?, _ timing: PCSCTiming, _ time: any TimeSource
    ) {
        (self.name, self.context, self.library) = (name, context, library)
        (self.timing, self.time) = (timing, time)
    }

    /// Powers the card off, releases it and the reader, and ends the running exchange. Can be called more than once,
    /// and from a canceled task.
    public func close() async {
        isClosed = true
        await powerOff()
        await context.release()
    }

    /// Returns the connection to pcscd; a new one after a call that did not return.
    private func connection() async throws(PCSCError) -> PCSCContext {
        if let breach { throw breach }
        guard !isClosed else { throw .closed }
        guard context.isClosed else { return context }
        session = nil
        let new = try await PCSCContext.establish(library: library, timing: timing, time: time)
        guard !isClosed else {
            await new.release()
            throw .closed
        }
        context = new
        return new
    }

    // MARK: Presence

    /// Returns the state of the reader.
    ///
    /// - Throws: why the connection broke, also after ``close()``; ``PCSCError/failed(_:_:)`` with
    ///   ``PCSCErrorCode/readerUnavailable`` or ``PCSCErrorCode/unknownReader`` when the reader is gone; others
    public func state() async throws(PCSCError) -> PCSCReaderState {
        try await change(from: PCSCReaderState(reader: name), within: .zero)
    }

    /// Waits until a card is in the reader, or until it is gone.
    ///
    /// A card that was powered and pulled counts as gone even if another one is there already.
    ///
    /// - Parameters:
    ///   - present: what to wait for.
    ///   - timeout: the longest wait; the reader is queried once in any case.
    /// - Returns: whether it happened in time.
    /// - Throws: ``PCSCError/canceled`` and the errors of ``state()``
    public func waitForCard(present: Bool, timeout: Duration) async throws(PCSCError) -> Bool {
        let start = time.reading()
        var known = try await state()
        while true {
            let isPresent = known.flags.contains(.present)
            if present {
                if isPresent { return true }
            } else if !isPresent || poweredEvents.map({ $0 != known.events }) ?? false {
                poweredEvents = nil
                return true
            }
            let left = timeout - time.elapsed(since: start)
            guard left > .zero else { return false }
            known = try await change(from: known, within: left)
        }
    }

    /// Returns the state of the reader at its next change, or after `timeout`.
    private func change(
        from known: PCSCReaderState, within timeout: Duration
    ) async throws(PCSCError) -> PCSCReaderState {
        do throws(PCSCError) {
            let now = try await connection().change(from: [known], within: timeout)?.first ?? known
            guard !now.isGone else { throw .failed(.getStatusChange, .readerUnavailable) }
            return now
        } catch {
            note(error)
            throw error
        }
    }

    /// Keeps an error that ends the connection: a restarted pcscd does not know this program's readers.
    func note(_ error: PCSCError) {
        switch error {
        case .failed(_, .noService), .failed(_, .serviceStopped), .failed(_, .communicationError):
            if breach == nil { breach = error }
        default: break
        }
    }

    // MARK: Power

    /// Begins a transaction with the card and resets it: a cold reset, which clears the state that other programs left,
    /// and a warm one if the answer breaks the rules (EMV Book 1 §8.4), which are not for the answer that a contactless
    /// reader makes. Waits while another program has the card.
    ///
    /// - Throws: ``PCSCError/cardAbsent``, ``PCSCError/heldByAnother(_:)``, ``PCSCError/answerToReset(_:)``,
    ///   ``PCSCError/canceled`` and others; the card is then released, without power.
    public func powerOn() async throws(PCSCError) -> PCSCCardChannel {
        await powerOff()
        guard try await state().flags.contains(.present) else { throw .cardAbsent }
        do throws(PCSCError) {
            let card = try await connect()
            do throws(PCSCError) {
                return try await activate(card)
            } catch {
                try? await card.disconnect(.unpower)
                throw error
            }
        } catch {
            switch error {
            case .failed(_, .sharingViolation), .timedOut(.connect), .timedOut(.beginTransaction):
                throw .heldByAnother(PCSCClientFinder().clients())
            case .failed(_, .noSmartCard), .failed(_, .removedCard): throw .cardAbsent
            default: throw error
            }
        }
    }

    /// Powers the card off and releases it. Works in a canceled task, too.
    public func powerOff() async {
        guard let ended = session else { return }
        session = nil
        try? await ended.card.disconnect(.unpower)
    }

    private func connect() async throws(PCSCError) -> PCSCCard {
        let start = time.reading()
        while true {
            let left = timing.sharing - time.elapsed(since: start)
            do throws(PCSCError) {
                return try await connection().connect(name, within: left)
            } catch {
                guard case .failed(_, .sharingViolation) = error, left > timing.retryInterval else { throw error }
            }
            do throws(CancellationError) { try await time.sleep(for: timing.retryInterval) } catch { throw .canceled }
        }
    }

    private func activate(_ card: PCSCCard) async throws(PCSCError) -> PCSCCardChannel {
        try await card.beginTransaction()
        let atr = try await reset(card)
        guard !card.activeProtocol.isDisjoint(with: .t0OrT1) else { throw .noCommonProtocol }
        // A driver without features may not know the request.
        let features = (try? await card.features()) ?? [:]
        let properties = features[.pinProperties] == nil ? [] : await pinProperties(card, features)
        let state = try await state()
        guard state.flags.contains(.present) else { throw .cardAbsent }
        guard !Task.isCancelled else { throw .canceled }
        guard !isClosed else { throw .closed }
        activations += 1
        poweredEvents = state.events
        session = Session(
            card: card, activation: activations, verifyPIN: features[.verifyPIN],
            // wLcdLayout comes first.
            hasDisplay: properties.prefix(2).contains { $0 != 0 })
        return PCSCCardChannel(
            reader: self, activation: activations, atr: atr,
            transmissionProtocol: card.activeProtocol.contains(.t1) ? 1 : 0, hasPINPad: features[.verifyPIN] != nil)
    }

    private func pinProperties(_ card: PCSCCard, _ features: [PCSCFeature: UInt32]) async -> [UInt8] {
        guard let code = features[.pinProperties] else { return [] }
        return (try? await card.control(code)) ?? []
    }

    private func reset(_ card: PCSCCard) async throws(PCSCError) -> ATR {
        try await card.reconnect(.unpower)
        var bytes = try await card.answerToReset()
        // The form of the answer is the surest sign of a reader without contacts, whatever its name is.
        if isContactless || ContactlessATR(bytes) != nil {
            do throws(ATRError) { return try ATR(bytes) } catch { throw .answerToReset(.notAnATR(error)) }
        }
        var verdict = EMVATRRules.verdict(on: bytes, after: .cold)
        if case .warmReset = verdict {
            try await card.reconnect(.reset)
            bytes = try await card.answerToReset()
            verdict = EMVATRRules.verdict(on: bytes, after: .warm)
        }
        do throws(EMVATRRules.Reason) { return try verdict.atr(bytes) } catch { throw .answerToReset(error) }
    }
}

extension PCSCReader {
    /// Exchanges a command APDU with the card that was powered in this activation.
    func transmit(_ command: CommandAPDU, activation: UInt64) async throws(CardChannelError) -> ResponseAPDU {
        let card = try usableSession(activation).card
        guard !Task.isCancelled else { throw .canceled }
        do throws(PCSCError) {
            return card.activeProtocol.contains(.t1)
                ? try await exchangeT1(command, card) : try await exchangeT0(command, card)
        } catch {
            throw await failure(error, activation)
        }
    }

    /// Lets the cardholder enter a PIN on the reader and the card of this activation verify it.
    func verifyPIN(_ entry: PINPadEntry, activation: UInt64) async throws(CardChannelError) -> PINPadAnswer {
        let session = try usableSession(activation)
        guard let code = session.verifyPIN else { return .unsupported }
        guard !Task.isCancelled else { throw .canceled }
        let structure = PCSCPINVerification(
            seconds: entry.seconds, digits: entry.digits, hasDisplay: session.hasDisplay)
        do throws(PCSCError) {
            let answer = try await session.card.control(
                code, structure.bytes, within: .seconds(Int(entry.seconds)) + timing.exchange)
            if let reason = PINPadAnswer(readerStatus: answer) { return reason }
            return .verified(try Self.response(answer).status)
        } catch {
            if error == .failed(.control, .unsupportedFeature) { return .unsupported }
            throw await failure(error, activation)
        }
    }

    // T=0 transports TPDUs: the host maps command APDUs to them (PC/SC part 5), except where the reader does it by
    // itself.
    private func exchangeT0(_ command: CommandAPDU, _ card: PCSCCard) async throws(PCSCError) -> ResponseAPDU {
        var mapper: T0CommandMapper
        do throws(T0Error) { mapper = try T0CommandMapper(command) } catch { throw .t0(error) }
        let start = time.reading()
        var step = mapper.start()
        while true {
            switch step {
            case .complete(let response): return response
            case .exchange(var tpdu):
                // It may hold a PIN, and has no other owner from here on.
                step = .exchange([])
                defer { tpdu.wipe() }
                let left = timing.exchange - time.elapsed(since: start)
                guard left > .zero else { throw .timedOut(.transmit) }
                guard !Task.isCancelled else { throw .canceled }
                let answer = try await card.transmit(tpdu, within: left)
                do throws(T0Error) { step = try mapper.received(answer) } catch { throw .t0(error) }
            }
        }
    }

    private func exchangeT1(_ command: CommandAPDU, _ card: PCSCCard) async throws(PCSCError) -> ResponseAPDU {
        var apdu = command.bytes
        // It may hold a PIN.
        defer { apdu.wipe() }
        return try Self.response(try await card.transmit(apdu))
    }

    private static func response(_ answer: [UInt8]) throws(PCSCError) -> ResponseAPDU {
        do throws(APDUError) { return try ResponseAPDU(bytes: answer) } catch { throw .response(error) }
    }

    /// Returns the session of an activation if its card may still be used.
    private func usableSession(_ activation: UInt64) throws(CardChannelError) -> Session {
        guard let session, session.activation == activation else {
            throw .protocolViolation("the card was powered off or reset since: power it on again")
        }
        guard !session.hasFailed else {
            throw .protocolViolation("an earlier exchange with the card failed: power it on again")
        }
        return session
    }

    /// Returns the error of a card channel for a PC/SC error. The card may not be used after it, unless nothing was
    /// sent.
    private func failure(_ error: PCSCError, _ activation: UInt64) async -> CardChannelError {
        switch error {
        case .t0(.extendedLengthNotSupported), .t0(.invalidInstruction): return .notSupported(error.description)
        default: break
        }
        if session?.activation == activation { session?.hasFailed = true }
        note(error)
        switch error {
        case .canceled: return .canceled
        case .timedOut: return .timedOut
        case .failed(_, .removedCard), .failed(_, .noSmartCard), .cardAbsent: return .cardRemoved
        case .failed(_, .unresponsiveCard), .failed(_, .unpoweredCard): return .cardMute
        case .closed, .failed(_, .noService), .failed(_, .serviceStopped), .failed(_, .communicationError),
            .failed(_, .readerUnavailable), .failed(_, .unknownReader), .failed(_, .invalidHandle):
            return .readerUnavailable(error.description)
        // Some drivers return an empty answer when the card is removed during an exchange.
        case .failed(_, .notTransacted), .failed(_, .communicationDataLost), .t0(.answerTooShort),
            .response(.responseTooShort):
            // Check also after the payment was canceled.
            return await Task { await self.departure() }.value ?? .protocolViolation(error.description)
        default: return .protocolViolation(error.description)
        }
    }

    /// Checks whether the card or the reader is gone after a failed exchange: pcscd notices it with some delay.
    ///
    /// - Returns: nil when both are present.
    private func departure() async -> CardChannelError? {
        do throws(PCSCError) {
            return try await waitForCard(present: false, timeout: timing.removal) ? .cardRemoved : nil
        } catch {
            return .readerUnavailable(error.description)
        }
    }
}

/// A powered card in a reader behind pcscd, reserved for this program. Valid until the card leaves, is powered again or
/// off, or an exchange fails.
public struct PCSCCardChannel: PINPadCardChannel {
    let reader: PCSCReader
    let activation: UInt64
    /// The card's answer to reset, or the one that the reader made for a card without contacts.
    public let atr: ATR
    /// What the reader tells about a card without contacts; nil for a card with contacts.
    public var contactless: ContactlessATR? { ContactlessATR(atr.bytes) }
    /// 0 or 1.
    public let transmissionProtocol: UInt8
    /// Whether the reader's driver names PIN verification among its features (PC/SC part 10).
    public let hasPINPad: Bool

    init(reader: PCSCReader, activation: UInt64, atr: ATR, transmissionProtocol: UInt8, hasPINPad: Bool) {
        (self.reader, self.activation, self.atr) = (reader, activation, atr)
        (self.transmissionProtocol, self.hasPINPad) = (transmissionProtocol, hasPINPad)
    }

    /// Sends a command.
    ///
    /// A command cannot be taken back from pcscd: when the task is canceled, this waits for the answer to the command
    /// in progress, and sends nothing more. After any error but ``CardChannelError/notSupported(_:)``, and a
    /// cancellation before anything was sent, the channel refuses every further command: power the card on again.
    ///
    /// - Throws: ``CardChannelError``
    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, activation: activation)
    }

    /// Asks the driver for a PIN entry (FEATURE_VERIFY_PIN_DIRECT, PC/SC part 10). An entry cannot be aborted through
    /// pcscd: when the task is canceled, this returns when the cardholder or the reader has ended it.
    ///
    /// - Throws: ``CardChannelError``. As with ``transmit(_:)``, the channel then refuses every further command.
    public func verifyPIN(_ entry: PINPadEntry) async throws(CardChannelError) -> PINPadAnswer {
        try await reader.verifyPIN(entry, activation: activation)
    }
}
