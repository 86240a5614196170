// Made by Scripts/generate from Sources/Networking/Models/Notifications/DotcomDevice.swift: change that, not this.
extension DotcomDevice {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: String? = nil) -> DotcomDevice {
        DotcomDevice(id: id ?? self.id)
    }
}
