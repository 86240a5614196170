internal import Determinism

/// A receipt that can be seen without signing in, until it expires.
struct StoredReceipt: Hashable, Sendable {
    /// The name that nobody can guess.
    var name: String
    var orderID: Int64
    /// The last day on which it is there.
    var expires: CivilDate
}
