public import Money

/// One of the two tills of a session. Most sessions have only the first one.
public enum TillPlace: Int, Hashable, Sendable, CaseIterable {
    /// The till that the steps of a session are about.
    case first = 1
    /// The till beside it, which works at the same time: see ``SessionAct/neighbor(_:)`` and
    /// ``SessionAct/neighborPays(_:)``.
    case second
}

/// The second till of a simulated session, when it takes payments of its own. It is a process of its own, with a reader
/// and a customer of its own; disk, printer, issuer, and store are those of the first till.
public struct PlannedTill: Hashable, Sendable {
    /// Whether it keeps its records in a database of its own, as a till that shares nothing but the store does. The
    /// second till of one database has the records of the first one.
    public var ownsDatabase: Bool
    /// The name of its reader, one of ``SessionPlan/readers`` that the first till does not use.
    public var reader: String
    /// The name of its customers' card, one of ``SessionPlan/cards`` that is never at the first till.
    public var card: String

    /// Names the reader and the card of the plan that the second till has for itself.
    public init(ownsDatabase: Bool = false, reader: String, card: String) {
        (self.ownsDatabase, self.reader, self.card) = (ownsDatabase, reader, card)
    }
}

/// What a customer pays at the second till of a session.
public enum SessionBill: Hashable, Sendable {
    /// An amount that the clerk enters.
    case amount(Money)
    /// An order of the store, by its position in ``PlannedStore/unpaid``, from 1.
    case order(Int)

    /// The bill as text: `8.00 USD`, `order 1`.
    var words: String {
        switch self {
        case .amount(let amount): "\(amount)"
        case .order(let place): "order \(place)"
        }
    }
}

extension SessionPlan.Journal {
    /// The location of the records of a second till that has its own: beside those of the first one.
    var beside: SessionPlan.Journal {
        switch self {
        case .memory: .memory
        case .file(let path): .file(path + ".second")
        case .shared(let journals): .shared(journals)
        }
    }
}

extension SessionPlan {
    /// Checks that the second till has a reader and a card for itself.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)``
    func checkSecondTill() throws(SimulatedSessionError) {
        guard let till = secondTill else { return }
        guard readers.contains(where: { $0.name == till.reader }), readers.first?.name != till.reader else {
            throw .plan("the second till needs a reader of its own, besides the first one")
        }
        guard cards.contains(where: { $0.name == till.card }), cards.first?.name != till.card else {
            throw .plan("the second till needs a card of its own, besides the first one")
        }
        // Both would be the same terminal with the same trace numbers.
        guard !till.ownsDatabase || wire == nil else {
            throw .plan("two tills with two databases would be one terminal on the wire; let them share one")
        }
    }
}
