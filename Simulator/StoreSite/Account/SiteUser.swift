internal import Determinism

/// The owner of the store.
struct SiteUser: Sendable {
    var id: Int64 = 1
    var username: String
    var email: String
    var firstName = "Robin"
    var lastName = "Keeper"
    var password: SitePassword
    var registered: Timestamp

    var displayName: String { "\(firstName) \(lastName)" }
}
