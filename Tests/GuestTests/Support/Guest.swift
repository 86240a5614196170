import Glibc

/// The guest in which Scripts/test-usb runs these tests. Outside it there is no reader to try.
enum Guest {
    /// The port on which the host takes requests; nil outside the guest.
    static let port = environment("CARDPRESENT_GUEST")
    /// The host controller that the reader is at.
    static let controller = environment("CONTROLLER") ?? ""
    /// The card that is to be in the reader: the name of a profile, or `libcacard`.
    static let card = environment("CARDPRESENT_GUEST_CARD") ?? ""
    /// Whether the card is QEMU's own, which nobody can take out of its reader.
    static var isCardFixed: Bool { card == "libcacard" }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
