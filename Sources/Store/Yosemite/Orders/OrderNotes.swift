import Concurrency
import Determinism
public import Networking
import Storage
import Text

/// The actions of ``OrderNoteStore``. Every completion is called exactly once.
public enum OrderNoteAction: Action {
    /// Fetches and stores the notes on an order, and the order if it is not stored yet.
    case retrieveOrderNotes(siteID: Int64, orderID: Int64, onCompletion: Completion<ElementList<OrderNote>>)
    /// Creates a note, and stores it, with the order if that is not stored yet. `isCustomerNote` also e-mails it to the
    /// customer.
    case addOrderNote(
        siteID: Int64, orderID: Int64, isCustomerNote: Bool, note: String, onCompletion: Completion<OrderNote>)
    /// Loads the stored notes on an order, newest first.
    case loadOrderNotes(siteID: Int64, orderID: Int64, onCompletion: Completion<[OrderNote]>)

    public var redactedDescription: [String: String] {
        switch self {
        case .retrieveOrderNotes(let siteID, let orderID, _), .loadOrderNotes(let siteID, let orderID, _):
            ["site": String(siteID), "order": String(orderID)]
        case .addOrderNote(let siteID, let orderID, let isCustomerNote, _, _):
            ["site": String(siteID), "order": String(orderID), "customer": String(isCustomerNote)]
        }
    }
}

/// The notes on orders.
///
/// Notes are stored only together with their order, which is fetched if needed.
public final class OrderNoteStore: Store {
    private let context: StoreContext
    private let commands: any OrderCommandFactory

    /// Handles the actions on order notes of the session that `context` belongs to.
    public convenience init(_ context: StoreContext) {
        self.init(context, commands: SiteOrderCommands(context))
    }

    /// - Parameters:
    ///   - context: the dependencies of the stores of a site.
    ///   - commands: makes the commands of orders and their notes.
    init(_ context: StoreContext, commands: any OrderCommandFactory) {
        (self.context, self.commands) = (context, commands)
    }

    public func onAction(_ action: OrderNoteAction) {
        switch action {
        case .retrieveOrderNotes(let siteID, let orderID, let onCompletion):
            retrieveOrderNotes(siteID, orderID, onCompletion)
        case .addOrderNote(let siteID, let orderID, let isCustomerNote, let note, let onCompletion):
            let newNote = NewOrderNote(siteID: siteID, orderID: orderID, isCustomerNote: isCustomerNote, text: note)
            context.run(addition(of: newNote), onCompletion)
        case .loadOrderNotes(let siteID, let orderID, let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID },
                    sortedBy: { [$0.dateCreatedGMT.descending, $0.id.descending] })
            }
        }
    }

    private func retrieveOrderNotes(
        _ siteID: Int64, _ orderID: Int64, _ onCompletion: @escaping OrderNoteAction.Completion<ElementList<OrderNote>>
    ) {
        let fetched = commands.fetchNotes(siteID: siteID, orderID: orderID)
        let kept = commands.forgetting(siteID: siteID, orderID: orderID, whenMissing: fetched).followed {
            [self] notes in
            saving(notes.elements, siteID: siteID, orderID: orderID, isWhole: notes.rejected.isEmpty)
        }
        context.run(
            kept.keyed(CommandKey("orderNotes.retrieve", "site \(siteID)", "order \(orderID)")), onCompletion)
    }

    /// Adds a note, and saves it. A note whose response was lost is searched for, so that it is not added twice.
    private func addition(of newNote: NewOrderNote) -> any Command<OrderNote, StoreError> {
        let (siteID, orderID) = (newNote.siteID, newNote.orderID)
        let begun = context.time.now()
        let added = commands.forgetting(siteID: siteID, orderID: orderID, whenMissing: commands.addNote(newNote))
        return added.otherwise { [self] error in
            guard case .network(let reason) = error, reason.mayHaveTakenEffect else {
                return KnownCommand(failure: error)
            }
            return search(for: newNote, since: begun).then { found in
                found.map { KnownCommand($0) } ?? KnownCommand(failure: error)
            }
        }.followed { [self] note in saving([note], siteID: siteID, orderID: orderID, isWhole: false) }
    }

    /// Searches for a note whose response was lost: one with the same text that was not stored before and is recent,
    /// with a margin for clock differences.
    private func search(
        for newNote: NewOrderNote, since begun: Timestamp
    ) -> any Command<OrderNote?, StoreError> {
        let (siteID, orderID) = (newNote.siteID, newNote.orderID)
        let (earliest, text) = (begun.advanced(by: .seconds(-600)), HTMLText.plain(newNote.text))
        return commands.storedNotes(siteID: siteID, orderID: orderID).then { [commands] stored in
            let known = Set(stored.map(\.id))
            return commands.fetchNotes(siteID: siteID, orderID: orderID).map { notes in
                notes.elements.first { note in
                    note.note == text && note.customerNote == newNote.isCustomerNote && !known.contains(note.id)
                        && note.dateCreatedGMT.map { $0 >= earliest } == true
                }
            }.otherwise { _ in KnownCommand(nil) }
        }
    }

    /// Saves notes, with their order if it is not stored yet. A note is stored even when its order can't be fetched
    /// now.
    private func saving(
        _ notes: [OrderNote], siteID: Int64, orderID: Int64, isWhole: Bool
    ) -> any Command<Void, StoreError> {
        commands.storedOrder(siteID: siteID, orderID: orderID).then { [commands] stored in
            guard stored == nil else { return KnownCommand([]) }
            return commands.fetchOrder(siteID: siteID, orderID: orderID).map { [$0] }.otherwise { _ in
                KnownCommand([])
            }
        }.then { [commands] orders in
            commands.save(orders, .notes(notes, siteID: siteID, orderID: orderID, isWhole: isWhole))
        }
    }
}
