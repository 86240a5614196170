/// What the kernel tells of a device beyond its descriptors.
public struct USBDeviceStatus: Hashable, Sendable {
    /// Whether the device is plugged in, at the address that it had.
    public var isPresent: Bool
    /// Whether the system lets the device be used; nil when that is not known. A device that is not authorised keeps
    /// its place and has no interfaces.
    public var isAuthorized: Bool?
    /// How often the port that the device is or was in cut the power because too much current flowed; nil when the hub
    /// does not count.
    public var overcurrents: Int?
    /// nil when the kernel manages no power here.
    public var power: USBPower?
    /// The group whose members may open the device; nil when no group may, or there is no node.
    public var group: String?

    public init(
        isPresent: Bool, isAuthorized: Bool? = nil, overcurrents: Int? = nil, power: USBPower? = nil,
        group: String? = nil
    ) {
        (self.isPresent, self.isAuthorized) = (isPresent, isAuthorized)
        (self.overcurrents, self.power, self.group) = (overcurrents, power, group)
    }
}
