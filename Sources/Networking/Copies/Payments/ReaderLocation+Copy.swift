// Made by Scripts/generate from Sources/Networking/Models/Payments/ReaderLocation.swift: change that, not this.
extension ReaderLocation {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: String? = nil,
        displayName: String? = nil,
        liveMode: Bool? = nil,
        address: ReaderLocationAddress?? = nil
    ) -> ReaderLocation {
        ReaderLocation(
            id: id ?? self.id,
            displayName: displayName ?? self.displayName,
            liveMode: liveMode ?? self.liveMode,
            address: address ?? self.address)
    }
}
