import Text

/// The products and coupons of a store.
public struct CatalogRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Returns whether the store has a product, or one variation of it.
    public func hasProduct(
        siteID: Int64, productID: Int64, variationID: Int64? = nil
    ) async throws(NetworkError) -> Bool {
        let path = "products/\(productID)" + (variationID.map { "/variations/\($0)" } ?? "")
        do throws(NetworkError) {
            _ = try await sender.send(JetpackRequest(siteID: siteID, .get, path, parameters: ["_fields": "id"]))
            return true
        } catch {
            // A missing route is another refusal.
            guard case .service(let service) = error, service.code?.hasSuffix("_invalid_id") == true else {
                throw error
            }
            return false
        }
    }

    /// Returns whether the store has a coupon with this code.
    public func hasCoupon(siteID: Int64, code: String) async throws(NetworkError) -> Bool {
        let found: ElementList<Coupon> = try await list(
            JetpackRequest(siteID: siteID, .get, "coupons", parameters: ["code": .text(code), "_fields": "id"]))
        return !found.elements.isEmpty || !found.rejected.isEmpty
    }

    private struct Coupon: Decodable, Sendable {
        let id: Int64
    }
}
