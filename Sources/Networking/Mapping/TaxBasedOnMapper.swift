/// Reads which address taxes are calculated for.
public struct TaxBasedOnMapper: Mapper {
    public init() {}

    public func map(_ content: MappedContent) throws(DecodingFailure) -> TaxBasedOn {
        try content.member("value").value(TaxBasedOn.self)
    }
}
