public import USB

/// A reader that is known to take cards without contacts, and how its field is switched.
///
/// No field of a CCID descriptor says that a slot is contactless.
public struct ContactlessReaderRow: Hashable, Sendable {
    /// The reader's common name.
    public let name: String
    /// idVendor
    public let vendorID: UInt16
    /// idProduct
    public let productID: UInt16
    /// The contactless slot, counted over all reader interfaces of the device from 0.
    public let slot: Int
    /// The commands of its field; nil where no public document has them.
    public let field: ContactlessFieldCommands?
    /// The commands of its lights and its buzzer; nil where no public document has them.
    public let indicators: ContactlessIndicators?
    /// The public document that names the reader.
    public let source: String

    private init(
        _ name: String, _ vendor: UInt16, _ product: UInt16, slot: Int = 0, field: ContactlessFieldCommands? = nil,
        indicators: ContactlessIndicators? = nil, source: String = "LudovicRousseau/CCID 5de6a96 readers"
    ) {
        (self.name, vendorID, productID, self.slot) = (name, vendor, product, slot)
        (self.field, self.indicators, self.source) = (field, indicators, source)
    }

    private static let identiv = "LudovicRousseau/CCID 5de6a96 readers; Identiv uTrust 3720 F and 4701 F manuals"
    private static let acr122 = "LudovicRousseau/CCID 5de6a96 readers; ACS ACR122U API"
    private static let acr1252 = "LudovicRousseau/CCID 5de6a96 readers; ACS ACM1252U-Y3 reference manual"
    /// ACS names neither slot. The third one is for a SAM (acsccid issue 4); the second one answered a card with an
    /// answer to reset of PC/SC part 3 (Yuyuhan1986/openjavacard-ndef 41fafce doc/tmc-personalization.md).
    private static let acr1281 = "LudovicRousseau/CCID b801b8a readers; ACS ACR1281U-C1 API 1.08 §5.3.2, §5.3.4"
    private static let simulated = "the simulator of this project"

    /// The known readers.
    public static let known = [
        ContactlessReaderRow("ACS ACR122U", 0x072F, 0x2200, indicators: .acr122, source: acr122),
        ContactlessReaderRow("ACS ACR1252", 0x072F, 0x223B, indicators: .acr1252, source: acr1252),
        ContactlessReaderRow("ACS ACR1252 Reader", 0x072F, 0x223E, indicators: .acr1252, source: acr1252),
        ContactlessReaderRow("ACS ACR1281U", 0x072F, 0x2224, slot: 1, indicators: .acr1252, source: acr1281),
        ContactlessReaderRow("SCM SCL011", 0x04E6, 0x5293),
        ContactlessReaderRow("Identiv uTrust 3700 F", 0x04E6, 0x5790, field: .identiv, source: identiv),
        ContactlessReaderRow("Identiv uTrust 4701 F", 0x04E6, 0x5724, slot: 1, field: .identiv, source: identiv),
        ContactlessReaderRow("HID OMNIKEY 5022", 0x076B, 0x5022),
        ContactlessReaderRow("HID OMNIKEY 5422", 0x076B, 0x5422),
        ContactlessReaderRow("HID OMNIKEY 5427 CK", 0x076B, 0x5427),
        ContactlessReaderRow("simulated:contactless", 0x1209, 0x0008, field: .simulated, source: simulated),
        ContactlessReaderRow(
            "simulated:dual-interface", 0x1209, 0x0009, slot: 1, field: .simulated, source: simulated),
    ]

    /// Returns the row of a device; nil for a reader that is not known.
    public static func row(of device: USBDeviceDescriptor) -> ContactlessReaderRow? {
        known.first { $0.vendorID == device.vendorID && $0.productID == device.productID }
    }
}

/// The vendor commands (Escape, CCID 1.1 §6.1.8) with which a reader's field is switched and asked.
public struct ContactlessFieldCommands: Hashable, Sendable {
    public let switchOn: [UInt8]
    public let switchOff: [UInt8]
    /// Asks whether several cards are in the field: the answer ends with 01 if so. Nil where the reader can't tell, or
    /// no public document has the form of its answer.
    public let askForCollision: [UInt8]?

    static let identiv = ContactlessFieldCommands(
        switchOn: [0x96, 0x01], switchOff: [0x96, 0x00], askForCollision: nil)
    static let simulated = ContactlessFieldCommands(
        switchOn: [0x96, 0x01], switchOff: [0x96, 0x00], askForCollision: [0xE4])
}

/// The contactless slots of a reader interface.
public struct ContactlessSlots: Hashable, Sendable {
    /// The numbers of the slots in the interface.
    public let numbers: Set<UInt8>
    public let field: ContactlessFieldCommands?
    /// The commands of the lights and the buzzer.
    public let indicators: ContactlessIndicators?

    static let none = ContactlessSlots(numbers: [], field: nil)

    /// Words in the names of contactless readers.
    private static let words = ["PICC", "Contactless", "contactless", "-CL", "CL "]

    /// Finds out which slots of an interface are contactless: by the table of known readers, by the product's name, or
    /// because the interface has T=1 alone at the level of APDUs, as no reader with contacts has.
    ///
    /// - Parameters:
    ///   - device: the device of the interface.
    ///   - descriptor: the class descriptor of the interface.
    ///   - firstSlot: the number of slots of the interfaces before it.
    ///   - isAlone: whether the device has no other reader interface, so that the product's name is that of this one.
    init(_ device: USBDevice, _ descriptor: CCIDClassDescriptor, firstSlot: Int, isAlone: Bool) {
        let all = 0...descriptor.maximumSlotIndex
        if let row = ContactlessReaderRow.row(of: device.descriptor) {
            (field, indicators) = (row.field, row.indicators)
            numbers = Set(all.filter { firstSlot + Int($0) == row.slot })
            return
        }
        (field, indicators) = (nil, nil)
        let isNamed = isAlone && all.count == 1 && Self.isContactless(product: (device.product ?? "") + " ")
        let isTold = descriptor.protocols.rawValue == 0b10 && !descriptor.level.leavesProtocolToHost
        numbers = isNamed || isTold ? Set(all) : []
    }

    /// Returns whether a product's name has one of the words. Compares bytes: a search for characters takes longer than
    /// the rest of reading a descriptor.
    private static func isContactless(product: String) -> Bool {
        let name = Array(product.utf8)
        return words.contains { word in name.indices.contains { name[$0...].starts(with: word.utf8) } }
    }

    private init(numbers: Set<UInt8>, field: ContactlessFieldCommands?) {
        (self.numbers, self.field, indicators) = (numbers, field, nil)
    }
}
