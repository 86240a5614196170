public import Determinism
public import Payments
public import Simulator
import Storage
public import StoreSite
import TillConfiguration
import Yosemite

extension SimulatedSession {
    /// The events so far, in order.
    public var events: [SessionEvent] { world.log.events }

    // MARK: The till's records

    /// The tills whose databases the session has: the second one only when it has run, and keeps records of its own.
    public var databases: [TillPlace] {
        world.plan.secondTill?.ownsDatabase == true && neighbor.records != nil ? [.first, .second] : [.first]
    }

    /// Returns the payments with their attempts, oldest first. Reads the database directly, whether or not a process
    /// runs.
    ///
    /// - Parameter till: the till whose database is read.
    /// - Returns: the payments.
    /// - Throws: ``SimulatedSessionError``
    public func payments(of till: TillPlace = .first) throws(SimulatedSessionError) -> [SessionPayment] {
        let records = try openRecords(of: till)
        do {
            return try records.read { storage in
                let attempts = try storage.allObjects(
                    ofType: PaymentAttempt.self, matching: nil, sortedBy: "id", limit: nil)
                let steps = try storage.allObjects(
                    ofType: AttemptTransition.self, matching: nil, sortedBy: "attemptID, sequence", limit: nil)
                return try storage.allObjects(ofType: Payment.self, matching: nil, sortedBy: "id", limit: nil)
                    .map { payment in
                        SessionPayment(
                            payment, attempts: attempts.filter { $0.paymentID == payment.id }, steps: steps)
                    }
            }
        } catch {
            throw .storage(StorageError(error, path: records.path ?? ":memory:"))
        }
    }

    /// Queries a till's database.
    ///
    /// - Parameters:
    ///   - sql: one statement that only reads.
    ///   - till: the till whose database is read.
    ///   - isRepeated: whether many sessions ask it, so that it stays prepared for them.
    /// - Returns: the rows, each with its columns and their values as text, in order.
    /// - Throws: ``SimulatedSessionError/storage(_:)``
    public func rows(
        _ sql: String, of till: TillPlace = .first, isRepeated: Bool = false
    ) throws(SimulatedSessionError) -> [[(column: String, value: String?)]] {
        let records = try openRecords(of: till)
        do throws(StorageError) { return try records.rows(sql, staysPrepared: isRepeated) } catch {
            throw .storage(error)
        }
    }

    /// Reads everything that a till's database contains, for a search.
    ///
    /// - Parameter till: the till whose database is read.
    /// - Returns: the tables by name, each with the values of its rows as text, in order and without NULL.
    /// - Throws: ``SimulatedSessionError/storage(_:)``
    public func recordedValues(
        of till: TillPlace = .first
    ) throws(SimulatedSessionError) -> [(table: String, values: [String])] {
        let records = try openRecords(of: till)
        do throws(StorageError) { return try records.contents() } catch { throw .storage(error) }
    }

    private func openRecords(of till: TillPlace) throws(SimulatedSessionError) -> SQLiteStorageManager {
        try world.checkIsOpen()
        return till == .second ? neighbor.records ?? process.records : process.records
    }

    /// Returns a receipt as plain text.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - kind: the kind of receipt; nil for the newest of any kind.
    ///   - copy: the customer's or the merchant's copy.
    ///   - width: the characters of a line, 24...80; nil for those of the till's configuration.
    /// - Returns: the lines, separated by line breaks.
    /// - Throws: ``SimulatedSessionError``
    public func receipt(
        of payment: PaymentID, kind: ReceiptContent.Kind? = nil, copy: ReceiptCopy = .customer, width: Int? = nil
    ) async throws(SimulatedSessionError) -> String {
        let width = width ?? world.plan.till.receiptWidth
        let receipt: StoredReceipt = try await performReceipt {
            .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
        }
        return try await performReceipt {
            .generateContent(receipt: receipt, copy: copy, width: width, onCompletion: $0)
        }
    }

    /// Returns the content of a receipt, for a custom layout.
    ///
    /// - Parameters:
    ///   - payment: the payment's number.
    ///   - kind: the kind of receipt; nil for the newest of any kind.
    /// - Returns: the receipt's content.
    /// - Throws: ``SimulatedSessionError``
    public func receiptContent(
        of payment: PaymentID, kind: ReceiptContent.Kind? = nil
    ) async throws(SimulatedSessionError) -> ReceiptContent {
        let receipt: StoredReceipt = try await performReceipt {
            .loadReceipt(paymentID: payment, kind: kind, onCompletion: $0)
        }
        return receipt.content
    }

    // MARK: Issuer, store, cards, printer

    /// Returns the issuer's ledger.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when it cannot be read.
    public func issuerLedger() async throws(SimulatedSessionError) -> IssuerLedger {
        try await world.issuerLedger()
    }

    /// Compares the journals of all databases with the issuer's ledger.
    ///
    /// - Throws: ``SimulatedSessionError``
    public func reconciliation() async throws(SimulatedSessionError) -> IssuerReconciliation {
        var attempts = try payments().flatMap(\.tillAttempts)
        for till in databases.dropFirst() { attempts += try payments(of: till).flatMap(\.tillAttempts) }
        return IssuerReconciliation(till: attempts, issuer: try await issuerLedger())
    }

    /// Returns whether the till's current process, or the one that died, committed a state of an attempt.
    public func hasCommitted(_ attempt: Int64) -> Bool { process.life.committedAttempts.contains(attempt) }

    /// Whether a second till takes payments of its own.
    public var hasSecondTill: Bool { world.plan.secondTill != nil }

    /// The numbers of the plan's unpaid orders, in the order of the plan.
    public var unpaidOrders: [Int64] { world.site?.unpaid ?? [] }

    /// The store's orders as they are now, by number.
    public var orders: [SiteOrder] { world.site?.site.orders ?? [] }

    /// The charges that the store recorded, oldest first.
    public var siteLedger: [LedgerEntry] { world.site?.site.ledger ?? [] }

    /// The till's requests to the store, oldest first.
    public var siteRequests: [SeenRequest] { world.site?.requests ?? [] }

    /// The cryptograms that the session's cards issued, by card in the order of the plan, oldest first; of each card
    /// the newest 1,000. Recorded cards keep none.
    public var cryptograms: [IssuedCryptogram] {
        world.cards.all.flatMap { card in
            ((card.chip as? SimulatedEMVCard)?.cryptograms ?? []) + (card.contactless?.cryptograms ?? [])
        }
    }

    /// The documents that the printer received.
    public var printouts: [SessionPrintout] { world.printServer.printouts }

    /// The action that a payment by hand is waiting for; nil when it waits for none.
    public var need: SessionNeed? { world.person.attendant.need }

    /// The latest moment to which time may pass before the caller must act, in a payment by hand; nil without such a
    /// limit.
    public var callerDeadline: Timestamp? { world.person.attendant.callerDeadline }

    /// The time on the session's clock.
    public var now: Timestamp { world.clock.now() }

    /// The state in which the session began.
    public var plan: SessionPlan { world.plan }

    /// The session's readers, plugged in or not.
    public var readers: [SessionReaderState] {
        get async {
            var states: [SessionReaderState] = []
            for reader in world.readers { states.append(state(of: reader, isPluggedIn: await reader.seen() != nil)) }
            return states
        }
    }

    /// The session's readers at any time, also while the session is paused.
    public var readersInPause: [SessionReaderState] {
        world.readers.map { state(of: $0, isPluggedIn: world.bus.isPlugged($0.parts.device)) }
    }

    private func state(of reader: SessionReader, isPluggedIn: Bool) -> SessionReaderState {
        SessionReaderState(
            name: reader.name, model: reader.model.name, isPluggedIn: isPluggedIn,
            isConnected: reader.name == connected, hasCard: reader.hasCardInSlot || reader.hasCardInField,
            isCardInField: reader.hasCardInField, ways: reader.ways,
            faults: reader.parts.chip?.armedFaults ?? [])
    }

    /// The faults between the terminal and the issuer that still affect messages.
    public var issuerFaults: [IssuerFaultRule] { get async { await world.issuer.standingFaults } }

    /// Returns whether a card is in a reader.
    ///
    /// - Parameter name: the reader's name; nil for the first reader.
    /// - Returns: whether a card is in the slot or in the field.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``
    public func hasCard(in name: String? = nil) throws(SimulatedSessionError) -> Bool {
        let reader = try world.reader(name)
        return reader.hasCardInSlot || reader.hasCardInField
    }
}

/// An action by a person that a simulated session is waiting for; see ``PaymentOptions/isByHand``.
public enum SessionNeed: Hashable, Sendable {
    /// Present a card in one of these ways: `insert`, `swipe`, `tap`.
    case card(ways: [String])
    /// Remove the card.
    case removal
    /// Enter the PIN and confirm it, or cancel.
    case pin(isRetry: Bool, triesLeft: UInt8?, typedDigits: Int)
    /// Choose one of these applications.
    case application([String])
}

/// The current state of a reader in a simulated session.
public struct SessionReaderState: Hashable, Sendable {
    /// The reader's name in the session.
    public var name: String
    /// The name of the reader model.
    public var model: String
    /// Whether the reader is plugged in.
    public var isPluggedIn: Bool
    /// Whether the till is connected to the reader.
    public var isConnected: Bool
    /// Whether a card is in the slot or in the field.
    public var hasCard: Bool
    /// Whether the card is in the field.
    public var isCardInField: Bool
    /// The ways to present a card: `insert`, `swipe`, `tap`.
    public var ways: [String]
    /// The faults that have not happened yet, and a hang that has not ended.
    public var faults: [SimulatedReaderFault]
}

/// A document that the printer of a simulated session received.
public struct SessionPrintout: Hashable, Sendable, Codable {
    /// The job number on the print server.
    public var job: Int32
    /// The job's title in the queue.
    public var title: String
    /// The IPP attribute `job-state`, as a word.
    public var state: String
    /// The IPP attribute `job-state-reasons`.
    public var reasons: [String]
    /// The printed lines.
    public var lines: [String]

    /// Creates a printout.
    public init(job: Int32, title: String, state: String, reasons: [String], lines: [String]) {
        (self.job, self.title, self.state, self.reasons, self.lines) = (job, title, state, reasons, lines)
    }
}
