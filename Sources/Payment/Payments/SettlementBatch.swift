public import Determinism
public import Money

/// Where a batch is open: a terminal at a host.
public struct SettlementPlace: Hashable, Sendable {
    /// The name of the host in the journal.
    public let hostName: String
    /// The address of the host, `HOST:PORT`, in lower case.
    public let destination: String
    /// Field 41, without blanks on the right; empty for a host that needs none.
    public let terminal: String

    /// Takes the host's name, its address as `HOST:PORT`, and the number of the terminal (DE 41).
    public init(hostName: String, destination: String, terminal: String) {
        (self.hostName, self.destination, self.terminal) = (hostName, destination, terminal)
    }
}

/// A batch: the transactions of a terminal that a host settles together, in one currency.
public struct SettlementBatch: Hashable, Sendable, Identifiable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The host has refused the totals; the next settlement adds up again.
        case open
        /// The totals were sent, or are about to be: the same message is repeated until it is answered.
        case sent
        /// The host has agreed, or a person has accepted its totals, or said that it had agreed. Nothing changes any
        /// more.
        case closed
    }

    /// 1 and up, in the order in which batches began.
    public package(set) var id: Int64
    public let place: SettlementPlace
    /// The number at the host, 1...999,999, then 1 again.
    public let number: Int64
    public let currency: Currency
    public package(set) var state: State
    /// What was sent last.
    public package(set) var totals: SettlementTotals
    /// What the host told last; nil when it told nothing.
    public package(set) var hostTotals: SettlementTotals?
    /// What a repeat of the last message has in common with it.
    public package(set) var request: MessageIdentity
    /// The number of the last message among those of the database, 1 and up. The trace number follows from it.
    public package(set) var message: Int64
    /// How many times the last message was sent, or was about to be.
    public package(set) var tries: Int64
    /// Field 39 of the last answer; nil without an answer.
    public package(set) var responseCode: String?
    /// Why the last try has no result; nil when it has one.
    public package(set) var lastError: String?
    /// When the first of its transactions began.
    public let openedAt: Timestamp
    /// When the totals were added up.
    public package(set) var sentAt: Timestamp
    /// When the host agreed, or a person closed the batch.
    public package(set) var closedAt: Timestamp?
    /// Whether a person has closed the batch with the host's totals, which differ.
    public package(set) var isHostAccepted: Bool

    package init(
        id: Int64 = 0, place: SettlementPlace, number: Int64, currency: Currency, state: State = .sent,
        totals: SettlementTotals, hostTotals: SettlementTotals? = nil, request: MessageIdentity, message: Int64,
        tries: Int64 = 1, responseCode: String? = nil, lastError: String? = nil, openedAt: Timestamp,
        sentAt: Timestamp, closedAt: Timestamp? = nil, isHostAccepted: Bool = false
    ) {
        (self.id, self.place, self.number, self.currency, self.state) = (id, place, number, currency, state)
        (self.totals, self.hostTotals, self.request, self.message) = (totals, hostTotals, request, message)
        (self.tries, self.responseCode, self.lastError) = (tries, responseCode, lastError)
        (self.openedAt, self.sentAt, self.closedAt) = (openedAt, sentAt, closedAt)
        self.isHostAccepted = isHostAccepted
    }
}
