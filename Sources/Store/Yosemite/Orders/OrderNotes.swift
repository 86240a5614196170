internal import Concurrency
internal import Determinism
public import Networking
internal import Storage
internal import Text

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
    private let remote: OrdersRemote
    private let repository: OrderRepository

    public init(_ context: StoreContext) {
        self.context = context
        (remote, repository) = (OrdersRemote(context.sender), OrderRepository(context: context))
    }

    public func onAction(_ action: OrderNoteAction) {
        switch action {
        case .retrieveOrderNotes(let siteID, let orderID, let onCompletion):
            retrieveOrderNotes(siteID, orderID, onCompletion)
        case .addOrderNote(let siteID, let orderID, let isCustomerNote, let note, let onCompletion):
            let newNote = NewNote(siteID: siteID, orderID: orderID, isCustomerNote: isCustomerNote, text: note)
            context.carryOut(nil, onCompletion) { [self] () async throws(StoreError) in try await add(newNote) }
        case .loadOrderNotes(let siteID, let orderID, let onCompletion):
            context.read(onCompletion) { storage in
                try storage.models(
                    OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID },
                    sortedBy: { [$0.dateCreatedGMT.descending, $0.id.descending] })
            }
        }
    }

    private struct NewNote: Sendable {
        let siteID: Int64
        let orderID: Int64
        let isCustomerNote: Bool
        let text: String
    }

    private func retrieveOrderNotes(
        _ siteID: Int64, _ orderID: Int64, _ onCompletion: @escaping OrderNoteAction.Completion<ElementList<OrderNote>>
    ) {
        let key = CommandKey("orderNotes.retrieve", "site \(siteID)", "order \(orderID)")
        context.carryOut(key, onCompletion) { [self] () async throws(StoreError) in
            let notes: ElementList<OrderNote>
            do throws(NetworkError) {
                notes = try await remote.loadOrderNotes(siteID: siteID, orderID: orderID)
            } catch {
                throw repository.failure(error, siteID: siteID, orderID: orderID)
            }
            try await save(notes.elements, siteID: siteID, orderID: orderID, isWhole: notes.rejected.isEmpty)
            return notes
        }
    }

    private func add(_ newNote: NewNote) async throws(StoreError) -> OrderNote {
        let (siteID, orderID, begun) = (newNote.siteID, newNote.orderID, context.time.now())
        let note: OrderNote
        do throws(NetworkError) {
            note = try await remote.addOrderNote(
                siteID: siteID, orderID: orderID, isCustomerNote: newNote.isCustomerNote, note: newNote.text)
        } catch {
            guard error.mayHaveTakenEffect else { throw repository.failure(error, siteID: siteID, orderID: orderID) }
            guard let found = try await find(newNote, since: begun) else { throw .network(error) }
            note = found
        }
        try await save([note], siteID: siteID, orderID: orderID, isWhole: false)
        return note
    }

    /// Searches for a note whose response was lost: one with the same text that was not stored before and is recent,
    /// with a margin for clock differences.
    private func find(_ newNote: NewNote, since begun: Timestamp) async throws(StoreError) -> OrderNote? {
        let (siteID, orderID) = (newNote.siteID, newNote.orderID)
        let stored = try context.read { storage in
            Set(
                try storage.models(OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
                    .map(\.id))
        }
        let earliest = begun.advanced(by: .seconds(-600))
        let text = HTMLText.plain(newNote.text)
        do throws(NetworkError) {
            return try await remote.loadOrderNotes(siteID: siteID, orderID: orderID).elements.first { note in
                note.note == text && note.customerNote == newNote.isCustomerNote && !stored.contains(note.id)
                    && note.dateCreatedGMT.map { $0 >= earliest } == true
            }
        } catch {
            return nil
        }
    }

    /// `isWhole`: whether these are all notes on the order, so that others are deleted.
    private func save(
        _ notes: [OrderNote], siteID: Int64, orderID: Int64, isWhole: Bool
    ) async throws(StoreError) {
        var orders: [Order] = []
        if try repository.order(siteID: siteID, orderID: orderID) == nil {
            // A note is stored even when its order can't be fetched now.
            if let order = try? await remote.loadOrder(siteID: siteID, orderID: orderID) { orders = [order] }
        }
        try repository.save(
            orders, evenOverNewer: false,
            alsoSaving: { _, storage in
                if isWhole {
                    _ = try storage.delete(
                        OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
                }
                try storage.save(notes)
            })
    }
}
