internal import ArgumentParser
internal import Networking

/// A status of orders as it is named on the command line: one of WooCommerce's, or one that a plug-in adds.
struct OrderStatusName: ExpressibleByArgument, Hashable, Sendable {
    let status: OrderStatusEnum

    init(_ status: OrderStatusEnum) { self.status = status }

    /// The store itself knows statuses by `wc-` in front of them; both are taken.
    init?(argument: String) {
        let word = argument.hasPrefix("wc-") ? argument.dropFirst(3) : argument[...]
        let isWord = word.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
        }
        guard !word.isEmpty, word.utf8.count <= 40, isWord, word != "any" else { return nil }
        status = OrderStatusEnum(rawValue: String(word))
    }

    var defaultValueDescription: String { status.rawValue }

    static let defaultCompletionKind: CompletionKind = .list([
        "pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed",
    ])
}
