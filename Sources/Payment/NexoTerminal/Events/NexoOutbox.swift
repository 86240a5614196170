import Determinism

/// A notification, or the response to a message of `/async`, ready to be sent with POST.
public struct NexoDelivery: Hashable, Sendable {
    /// Names the delivery for ``NexoTerminal/record(_:of:at:)``.
    public let number: Int
    public let address: String
    /// JSON in UTF-8; the same bytes in every try.
    public let body: [UInt8]
}

/// What is not delivered to the event address yet. A message is sent at once, and again after growing delays until the
/// till answers with a status of 2xx.
struct NexoOutbox: Sendable {
    private struct Message: Sendable {
        let number: Int
        let address: String
        let body: [UInt8]
        var tries = 0
        /// When it is sent again, on the wall clock; nil for at once.
        var due: Timestamp?
        var isBeingSent = false
    }

    /// The delays after the first, second, and later tries. After the last one, a message is given up.
    static let delays: [Duration] = [.seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(3600)]
    /// The most messages that wait. Those beyond are given up.
    static let most = 1000

    /// Where messages go; nil for nowhere.
    var address: String?
    private var messages: [Message] = []
    private var count = 0

    /// Adds a message, some times over.
    mutating func add(_ body: [UInt8], copies: Int) {
        guard let address else { return }
        for _ in 0..<copies where messages.count < Self.most {
            count += 1
            messages.append(Message(number: count, address: address, body: body))
        }
    }

    /// Takes the messages that are due on the wall clock.
    mutating func take(at wall: Timestamp) -> [NexoDelivery] {
        var deliveries: [NexoDelivery] = []
        for index in messages.indices where !messages[index].isBeingSent {
            if let due = messages[index].due, wall < due { continue }
            messages[index].isBeingSent = true
            let message = messages[index]
            deliveries.append(NexoDelivery(number: message.number, address: message.address, body: message.body))
        }
        return deliveries
    }

    /// Takes the status that the till answered with; 0 without an answer.
    mutating func record(_ status: Int, of number: Int, at wall: Timestamp) {
        guard let index = messages.firstIndex(where: { $0.number == number }) else { return }
        let tries = messages[index].tries
        guard !(200...299).contains(status), tries < Self.delays.count else {
            messages.remove(at: index)
            return
        }
        messages[index].tries = tries + 1
        messages[index].due = wall.advanced(by: Self.delays[tries])
        messages[index].isBeingSent = false
    }

    /// When the next message is due on the wall clock; nil when none waits for its time.
    var nextDue: Timestamp? { messages.lazy.filter { !$0.isBeingSent }.compactMap(\.due).min() }
}
