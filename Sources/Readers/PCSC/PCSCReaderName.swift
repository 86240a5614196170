/// The parts of a reader's name in pcscd: `MAKER PRODUCT [INTERFACE] (SERIAL) RR SS` (libccid, pcscd's hot plug). RR is
/// the number of the reader and SS that of its slot, two hexadecimal digits each; interface and serial number may be
/// missing. A device with two reader interfaces, and a reader with two slots, have two names.
public struct PCSCReaderName: Hashable, Sendable {
    /// Maker and product, with the serial number: the same for all readers of one device.
    public let device: String
    /// The name of the interface; nil if the driver gives none.
    public let interface: String?
    /// The number of the slot (SS); nil in a name of another form.
    private let slot: UInt8?

    /// Words in the names of contactless readers and interfaces.
    private static let words = ["PICC", "Contactless", "contactless", "-CL", "CL "]

    /// Contactless readers whose names in libccid have none of the words (LudovicRousseau/CCID readers), and for a
    /// reader with other slots as well the number of the contactless one.
    private static let known: [(name: String, slot: UInt8?)] = [
        ("OMNIKEY 5022", nil), ("OMNIKEY 5127 CK", nil), ("OMNIKEY 5427 CK", nil), ("ACR1281U", 1),
    ]

    /// Reads a name of pcscd. A name in another form is that of a device with one reader.
    public init(_ name: String) {
        var rest = name[...]
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let digits = rest.suffix(3)
            guard digits.count == 3, digits.first == " ", let number = UInt8(digits.dropFirst(), radix: 16),
                digits.dropFirst().allSatisfy(\.isHexDigit)
            else { break }
            numbers.append(number)
            rest = rest.dropLast(3)
        }
        slot = numbers.count == 2 ? numbers.first : nil
        var serial = ""
        if rest.hasSuffix(")"), let start = rest.lastIndex(of: "(") {
            serial = String(rest[start...])
            rest = rest[..<start]
            while rest.last == " " { rest.removeLast() }
        }
        if rest.hasSuffix("]"), let start = rest.lastIndex(of: "[") {
            interface = String(rest[rest.index(after: start)...].dropLast())
            rest = rest[..<start]
            while rest.last == " " { rest.removeLast() }
        } else {
            interface = nil
        }
        device = serial.isEmpty ? String(rest) : rest + " " + serial
    }

    /// Whether the name is that of a contactless reader. For a reader with another name, the answer to reset of a card
    /// tells (``SmartCard/ContactlessATR``).
    public var isContactless: Bool {
        let text = (interface ?? device) + " "
        return Self.words.contains { text.contains($0) }
            || Self.known.contains { device.contains($0.name) && ($0.slot == nil || $0.slot == slot) }
    }

    /// Finds the contactless reader in the same device as a reader with contacts.
    ///
    /// - Parameters:
    ///   - reader: the name of a reader with contacts.
    ///   - names: the names of all readers.
    /// - Returns: nil if there is none, or if several names fit, as those of two devices without serial numbers do.
    public static func contactlessReader(beside reader: String, among names: [String]) -> String? {
        let own = PCSCReaderName(reader)
        guard !own.isContactless else { return nil }
        let others = names.filter { name in
            let other = PCSCReaderName(name)
            return name != reader && other.device == own.device && other.isContactless
        }
        return others.count == 1 ? others.first : nil
    }
}
