internal import Networking
internal import Synchronization
internal import Yosemite

extension Shop {
    /// Dispatches an action that changes something at the store. When nobody knows whether it was done, the failure
    /// says so and `advice` says what to do.
    ///
    /// - Throws: `CommandFailure`
    func change<Value: Sendable>(
        advice: String, _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        let doubt = Mutex<NetworkError?>(nil)
        do throws(CommandFailure) {
            return try await value { onCompletion in
                makeAction { result in
                    if case .failure(.network(let error)) = result, error.mayHaveTakenEffect {
                        doubt.withLock { $0 = error }
                    }
                    onCompletion(result)
                }
            }
        } catch {
            guard let doubt = doubt.withLock({ $0 }) else { throw error }
            throw CommandFailure(
                .outcomeUnknown, code: "outcome_unknown", message: doubt.description, fix: advice)
        }
    }

    /// A stored order.
    ///
    /// - Throws: `CommandFailure`; the fix names the order that was probably meant.
    func storedOrder(_ name: OrderName) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await value { OrderAction.loadOrder(siteID: siteID, orderID: name.id, onCompletion: $0) }
        } catch {
            guard error.code == "not_found" else { throw error }
            throw try await unknownOrder(name)
        }
    }

    /// The site's order, which is stored by then.
    ///
    /// - Throws: `CommandFailure`
    func refreshedOrder(_ name: OrderName) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await value { OrderAction.retrieveOrder(siteID: siteID, orderID: name.id, onCompletion: $0) }
        } catch {
            throw error.code == "not_found" ? CommandFailure(noOrder: name) : error
        }
    }

    /// What the customer sees may be another number than the id.
    private func unknownOrder(_ name: OrderName) async throws(CommandFailure) -> CommandFailure {
        let query = OrderQuery(text: String(name.id), limit: 20)
        let similar: StoredOrders = try await value {
            OrderAction.loadOrders(siteID: siteID, query: query, onCompletion: $0)
        }
        let meant = similar.orders.first { $0.number == String(name.id) }
        return CommandFailure(
            .badData, code: "unknown_order", message: "order \(name.id) is not stored here",
            fix: meant.map { "the order with the number \(name.id) has the id \($0.id)" }
                ?? "bring the store's orders here with 'cardpresent orders sync', or this one with "
                + "'cardpresent orders show \(name.id) --refresh'")
    }
}

extension CommandFailure {
    /// The store has no order of this id.
    init(noOrder name: OrderName) {
        self.init(
            .badData, code: "unknown_order", message: "the store has no order \(name.id)",
            fix: "'cardpresent orders sync' and 'cardpresent orders list' show which there are")
    }
}
