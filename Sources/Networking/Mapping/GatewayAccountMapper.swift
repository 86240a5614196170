/// Reads a gateway's account; an empty list is how WooPayments says that there is none.
public struct GatewayAccountMapper: Mapper {
    private let context: DecodingContext

    public init(siteID: Int64, gatewayID: String) { context = DecodingContext(siteID: siteID, gatewayID: gatewayID) }

    public func map(_ content: MappedContent) throws(DecodingFailure) -> GatewayAccount? {
        if content.isEmptyList { return nil }
        return try content.value(GatewayAccount.self, context: context)
    }
}
