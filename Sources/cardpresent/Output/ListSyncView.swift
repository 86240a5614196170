internal import Networking

/// What became of a list that was brought from the store, as JSON.
struct ListSyncView: Encodable, Sendable {
    var saved: Int
    /// Where the elements stand that could not be read, and what is wrong.
    var rejected: [String]

    init(saved: Int, rejected: [DecodingFailure]) {
        (self.saved, self.rejected) = (saved, rejected.map(\.description))
    }
}
