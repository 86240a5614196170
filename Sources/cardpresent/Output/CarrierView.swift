/// A carrier as JSON.
struct CarrierView: Encodable, Sendable {
    var country: String
    var name: String
    /// Where a parcel can be looked for, with `%1$s` for its number.
    var link: String
}
