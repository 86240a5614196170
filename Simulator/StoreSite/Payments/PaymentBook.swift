/// The charges of a store, and what is known of intents that are none yet.
struct PaymentBook: Sendable {
    /// Oldest first.
    private(set) var charges: [Charge] = []
    /// The states of intents that cannot be captured, by their numbers. Any other intent waits for its capture: the
    /// reader that made it is not part of the site.
    var states: [String: String] = [:]

    func charge(intent: String) -> Charge? { charges.first { $0.intentID == intent } }

    func charge(order: Int64) -> Charge? { charges.first { $0.orderID == order } }

    func charge(_ id: String) -> Charge? { charges.first { $0.id == id } }

    mutating func add(_ charge: Charge) { charges.append(charge) }

    mutating func count(_ charge: Charge) {
        guard let index = charges.firstIndex(where: { $0.id == charge.id }) else { return }
        charges[index].requests += 1
    }
}
