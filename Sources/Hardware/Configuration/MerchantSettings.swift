internal import EMV
internal import SettingsFile

/// The section `merchant`.
struct MerchantSettings {
    var name: String
    var address: [String] = []
    var id: String
    var categoryCode: UInt16
    var nameAndLocation: String

    static let keys = ["name", "address", "id", "categoryCode", "nameAndLocation"]

    /// Without a node the file has no such section.
    init(_ node: SettingsNode?) throws(SettingsError) {
        let standard = TerminalConfiguration.standard
        (name, id) = (standard.merchantNameAndLocation, standard.merchantIdentifier)
        (categoryCode, nameAndLocation) = (standard.merchantCategory, standard.merchantNameAndLocation)
        guard let node else { return }

        try node.mapping(allowedKeys: Self.keys)
        if let node = try node.optional("name") { name = try node.line(length: 1...99) }
        for line in try node.optional("address")?.list(count: 0...10) ?? [] {
            address.append(try line.line(length: 1...99))
        }
        if let node = try node.optional("id") { id = try node.printable(length: 1...15) }
        if let node = try node.optional("categoryCode") { categoryCode = UInt16(try node.int(in: 0...9999)) }
        if let given = try node.optional("nameAndLocation") {
            nameAndLocation = try given.printable(length: 1...99)
        } else {
            let whole = ([name] + address).joined(separator: ", ")
            guard whole.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw node.error(
                    "cards and hosts take name and address in ASCII only",
                    fix: "add 'nameAndLocation' with both in plain letters")
            }
            nameAndLocation = String(whole.prefix(99))
        }
    }
}
