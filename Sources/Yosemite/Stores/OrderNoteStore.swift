internal import Commands
internal import Determinism
internal import Networking
internal import Storage

/// The notes about orders.
///
/// An order that has notes here is here too: when it is not stored yet, it is brought with them.
public final class OrderNoteStore: Store {
    private let context: StoreContext
    private let remote: OrdersRemote
    private let shelf: OrderShelf

    public init(_ context: StoreContext) {
        self.context = context
        (remote, shelf) = (OrdersRemote(context.sender), OrderShelf(context: context))
    }

    public func onAction(_ action: OrderNoteAction) {
        switch action {
        case .retrieveOrderNotes(let siteID, let orderID, let onCompletion):
            retrieveOrderNotes(siteID, orderID, onCompletion)
        case .addOrderNote(let siteID, let orderID, let isCustomerNote, let note, let onCompletion):
            let wish = NewNote(siteID: siteID, orderID: orderID, isCustomerNote: isCustomerNote, text: note)
            context.carryOut(nil, onCompletion) { [self] () async throws(StoreError) in try await add(wish) }
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
                throw shelf.failure(error, siteID: siteID, orderID: orderID)
            }
            try await save(notes.elements, siteID: siteID, orderID: orderID, isWhole: notes.rejected.isEmpty)
            return notes
        }
    }

    private func add(_ wish: NewNote) async throws(StoreError) -> OrderNote {
        let (siteID, orderID, begun) = (wish.siteID, wish.orderID, context.time.now())
        let note: OrderNote
        do throws(NetworkError) {
            note = try await remote.addOrderNote(
                siteID: siteID, orderID: orderID, isCustomerNote: wish.isCustomerNote, note: wish.text)
        } catch {
            guard error.mayHaveTakenEffect else { throw shelf.failure(error, siteID: siteID, orderID: orderID) }
            guard let found = try await find(wish, since: begun) else { throw .network(error) }
            note = found
        }
        try await save([note], siteID: siteID, orderID: orderID, isWhole: false)
        return note
    }

    /// Looks for a note whose answer was lost: one with the same words that was not stored before and is no older than
    /// the clocks may differ.
    private func find(_ wish: NewNote, since begun: Timestamp) async throws(StoreError) -> OrderNote? {
        let (siteID, orderID) = (wish.siteID, wish.orderID)
        let stored = try context.read { storage in
            Set(
                try storage.models(OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
                    .map(\.id))
        }
        let earliest = begun.advanced(by: .seconds(-600))
        do throws(NetworkError) {
            return try await remote.loadOrderNotes(siteID: siteID, orderID: orderID).elements.first { note in
                note.note == wish.text && note.customerNote == wish.isCustomerNote && !stored.contains(note.id)
                    && note.dateCreatedGMT.map { $0 >= earliest } == true
            }
        } catch {
            return nil
        }
    }

    /// `isWhole`: whether these are all notes of the order; others are forgotten then.
    private func save(
        _ notes: [OrderNote], siteID: Int64, orderID: Int64, isWhole: Bool
    ) async throws(StoreError) {
        var orders: [Order] = []
        if try shelf.order(siteID: siteID, orderID: orderID) == nil {
            // A note is kept even when its order cannot be had now.
            if let order = try? await remote.loadOrder(siteID: siteID, orderID: orderID) { orders = [order] }
        }
        try shelf.save(
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
