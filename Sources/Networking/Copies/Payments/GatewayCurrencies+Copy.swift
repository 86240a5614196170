// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayCurrencies.swift: change that, not this.
extension GatewayCurrencies {
    /// The same with other values for what is given; what is nil stays.
    public func copy(default: String? = nil, supported: [String]? = nil) -> GatewayCurrencies {
        GatewayCurrencies(default: `default` ?? self.`default`, supported: supported ?? self.supported)
    }
}
