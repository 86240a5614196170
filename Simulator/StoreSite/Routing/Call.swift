internal import Determinism

/// A request to a site's REST interface, understood.
struct Call: Sendable {
    var method: String
    /// `/wc/v3/orders/12`
    var route: String
    /// What stands in the places that the route leaves open.
    var captured: [String] = []
    var parameters: SiteParameters
    var now: Timestamp
    var user: SiteUser

    func text(_ index: Int) -> String { captured.indices.contains(index) ? captured[index] : "" }

    /// - Throws: `refusal`, when it is no number.
    func id(_ index: Int, or refusal: SiteError = .noRoute) throws(SiteError) -> Int64 {
        guard let id = Int64(text(index)), id >= 0 else { throw refusal }
        return id
    }
}
