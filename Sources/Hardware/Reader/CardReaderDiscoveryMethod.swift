/// Where readers are looked for.
public enum CardReaderDiscoveryMethod: String, Hashable, Sendable, Codable, CaseIterable {
    /// The USB bus that the service was built with.
    case usb
    /// The pcscd of this machine.
    case pcsc
}
