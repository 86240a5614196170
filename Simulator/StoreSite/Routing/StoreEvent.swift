internal import Determinism

/// Something that the owner of a store is told of.
enum StoreEvent: Hashable, Sendable {
    case newOrder(Int64)
    case newReview(Int64)
}
