/// Reads carriers: country, name and address, one inside the other.
public struct ShipmentProvidersMapper: Mapper {
    private let siteID: Int64

    public init(siteID: Int64) { self.siteID = siteID }

    public func map(_ content: MappedContent) throws(DecodingFailure) -> [ShipmentTrackingProviderGroup] {
        if content.isEmptyList { return [] }
        let countries = try content.value(JSONValue.self)
        guard case .object(let groups) = countries else {
            throw DecodingFailure(.wrongType(expected: "an object", found: "something else"), at: "")
        }
        var result: [ShipmentTrackingProviderGroup] = []
        for group in groups {
            let carriers: [JSONValue.Member]
            switch group.value {
            case .object(let members): carriers = members
            case .list([]): carriers = []
            default:
                throw DecodingFailure(.wrongType(expected: "an object", found: "something else"), at: group.name)
            }
            result.append(
                ShipmentTrackingProviderGroup(
                    siteID: siteID, name: group.name,
                    providers: carriers.map {
                        ShipmentTrackingProvider(name: $0.name, url: $0.value.textValue ?? "")
                    }))
        }
        return result
    }
}
