public import Determinism
internal import SmartCard

/// A reader behind pcscd, and the card in it.
///
/// While a card is powered this program has a transaction with it: no other program reaches it, and those that had are
/// told that it was reset. Otherwise the reader is everybody's.
///
/// Call ``close()`` when done.
public actor PCSCReader {
    struct Session {
        let card: PCSCCard
        /// Which activation of the reader this is; a channel of an earlier one is void.
        let activation: UInt64
        /// The control code that lets the reader take a PIN; nil when it cannot.
        let verifyPIN: UInt32?
        /// Whether the reader can ask for the PIN on a display of its own.
        let hasDisplay: Bool
        /// An exchange failed: what the card made of it is unknown.
        var hasFailed = false
    }

    /// The name by which pcscd knows it.
    public nonisolated let name: String
    nonisolated let timing: PCSCTiming
    let time: any TimeSource
    private let library: PCSCLibrary?
    private var context: PCSCContext
    private var isClosed = false
    /// Why the connection to pcscd broke.
    private var breach: PCSCError?
    private var activations: UInt64 = 0
    var session: Session?
    /// pcscd's count of cards that came and went when a card was powered; nil when that card is known to have left.
    private var poweredEvents: UInt16?

    /// Opens a reader.
    ///
    /// - Parameters:
    ///   - name: one of ``PCSCContext/readers()``.
    ///   - library: whose functions are called; nil takes the machine's.
    ///   - timing: how long to wait for what.
    ///   - time: what the waits are measured by.
    /// - Returns: the reader, whose card is nobody's yet.
    /// - Throws: ``PCSCError/noSuchReader(_:known:)`` and what ``PCSCContext/establish(library:timing:time:)`` throws
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

    /// Switches the card off, gives it and the reader back and ends what runs. May be called more than once, and from
    /// a cancelled task.
    public func close() async {
        isClosed = true
        await powerOff()
        await context.release()
    }

    /// The connection to pcscd; a new one after a call that did not return.
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

    /// Asks what is in the reader.
    ///
    /// - Throws: why the connection broke, also after ``close()``; ``PCSCError/failed(_:_:)`` with ``PCSCErrorCode/readerUnavailable`` or
    ///   ``PCSCErrorCode/unknownReader`` when the reader is gone; others
    public func state() async throws(PCSCError) -> PCSCReaderState {
        try await change(from: PCSCReaderState(reader: name), within: .zero)
    }

    /// Waits until a card is in the reader, or until it is gone.
    ///
    /// A card that was powered and pulled counts as gone although another one is there already.
    ///
    /// - Parameters:
    ///   - present: what to wait for.
    ///   - timeout: the longest wait; the reader is looked at once in any case.
    /// - Returns: whether it happened in time.
    /// - Throws: ``PCSCError/cancelled`` and what ``state()`` throws
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

    /// The reader as it is now, at the latest after `timeout`.
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

    /// Keeps the reason for which no call can succeed any more: a new pcscd knows nothing of this program's readers.
    func note(_ error: PCSCError) {
        switch error {
        case .failed(_, .noService), .failed(_, .serviceStopped), .failed(_, .communicationError):
            if breach == nil { breach = error }
        default: break
        }
    }

    // MARK: Power

    /// Takes the card for this program alone and resets it: a cold reset, so that nothing is left of what others did
    /// with it, and a warm one if the answer breaks the rules (EMV Book 1 §8.4). Waits while another program has the
    /// card.
    ///
    /// - Throws: ``PCSCError/cardAbsent``, ``PCSCError/heldByAnother(_:)``, ``PCSCError/answerToReset(_:)``,
    ///   ``PCSCError/cancelled`` and others; the card is given back then, without power.
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

    /// Switches the card off and gives it back. Works in a cancelled task too.
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
            do throws(CancellationError) { try await time.sleep(for: timing.retryInterval) } catch { throw .cancelled }
        }
    }

    private func activate(_ card: PCSCCard) async throws(PCSCError) -> PCSCCardChannel {
        try await card.beginTransaction()
        let atr = try await reset(card)
        guard !card.activeProtocol.isDisjoint(with: .t0OrT1) else { throw .noCommonProtocol }
        // A driver without features may not know the question.
        let features = (try? await card.features()) ?? [:]
        let properties = features[.pinProperties] == nil ? [] : await pinProperties(card, features)
        let state = try await state()
        guard state.flags.contains(.present) else { throw .cardAbsent }
        guard !Task.isCancelled else { throw .cancelled }
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
        var verdict = EMVATRRules.verdict(on: bytes, after: .cold)
        if case .warmReset = verdict {
            try await card.reconnect(.reset)
            bytes = try await card.answerToReset()
            verdict = EMVATRRules.verdict(on: bytes, after: .warm)
        }
        switch verdict {
        case .accept: break
        case .warmReset(let reason), .deactivate(let reason): throw .answerToReset(reason)
        }
        do throws(ATRError) {
            return try ATR(bytes)
        } catch {
            throw .answerToReset(.notAnATR(error))
        }
    }
}
